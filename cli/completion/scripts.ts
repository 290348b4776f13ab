/** Shells that we have a script for. */
export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** How to enable the script, now and for every shell that is started later. */
export const howToInstall: Readonly<Record<Shell, string>> = {
  bash: `echo 'eval "$(mkt completion bash)"' >> ~/.bashrc`,
  zsh: `echo 'eval "$(mkt completion zsh)"' >> ~/.zshrc    # below the line with compinit`,
  fish: `mkt completion fish > ~/.config/fish/completions/mkt.fish`,
};

/** A script each, that asks `mkt __complete` (completion-door.ts) at every Tab. */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: `# Completion of mkt for bash. To install it:
#   ${howToInstall.bash}
_mkt_complete() {
  local program=mkt line="\${COMP_LINE:0:COMP_POINT}" typed breaks="" before="" word found
  [[ $1 == */* ]] && program=$1
  # bash takes a part of the word for the word itself where one of these stands in it.
  typed="\${line##*[[:blank:]]}"
  for word in = :; do [[ $COMP_WORDBREAKS == *"$word"* ]] && breaks+=$word; done
  [[ -n $breaks ]] && before="\${typed%"\${typed##*[$breaks]}"}"
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    if [[ $word == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -f -- "\${typed#"$before"}")
    else
      [[ $word == *[/=] ]] && compopt -o nospace 2>/dev/null
      COMPREPLY+=("\${word#"$before"}")
    fi
  done < <("$program" __complete --line "$line" 2>/dev/null)
}
# Older bash cannot leave an order as it is: the last runs come first.
complete -o nosort -F _mkt_complete mkt 2>/dev/null || complete -F _mkt_complete mkt
`,
  zsh: `#compdef mkt
# Completion of mkt for zsh. To install it:
#   ${howToInstall.zsh}
_mkt() {
  local line word with_files=0
  local -a lines ended going_on
  lines=("\${(@f)$(mkt __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  for line in $lines; do
    word=\${line%%$'\\t'*}
    if [[ $word == :files ]]; then
      with_files=1
    elif [[ $word == *[/=] ]]; then
      going_on+=("$word")
    elif [[ $line == *$'\\t'* ]]; then
      ended+=("\${word//:/\\\\:}:\${line#*$'\\t'}")
    elif [[ -n $word ]]; then
      ended+=("\${word//:/\\\\:}")
    fi
  done
  (( $#ended )) && _describe -t mkt mkt ended
  (( $#going_on )) && compadd -S '' -- $going_on
  (( with_files )) && _files
  return 0
}
if [[ $funcstack[1] == _mkt ]]; then _mkt "$@"; else compdef _mkt mkt; fi
`,
  fish: `# Completion of mkt for fish. To install it:
#   ${howToInstall.fish}
function __mkt_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -e words[1]
    for line in (mkt __complete -- $words "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c mkt -f -a '(__mkt_complete)'
`,
};
