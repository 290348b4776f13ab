import { ask } from "../parts/ask.tsx";
import { Button } from "../parts/Button.tsx";

interface PauseButtonProps {
  readonly isActive: boolean;
  /** What it is, for readers of screens. */
  readonly subject: string;
  readonly onPause?: (() => Promise<unknown>) | undefined;
  readonly onResume?: (() => Promise<unknown>) | undefined;
}

/** Pauses what is active, and resumes what is not; nothing where the key may not. */
export function PauseButton({ isActive, subject, onPause, onResume }: PauseButtonProps) {
  const press = isActive ? onPause : onResume;
  if (press === undefined) return null;
  const word = isActive ? "Pause" : "Resume";
  return (
    <Button icon={isActive ? "stop" : "play"} label={`${word} ${subject}`} onPress={press}>
      {word}
    </Button>
  );
}

interface DeleteButtonProps {
  readonly subject: string;
  readonly text: string;
  readonly onDelete: () => Promise<unknown>;
}

export function DeleteButton({ subject, text, onDelete }: DeleteButtonProps) {
  return (
    <Button
      icon="close"
      kind="quiet"
      label={`Delete ${subject}`}
      onPress={async () => {
        if (await ask(`Delete ${subject}?`, text, "Delete")) await onDelete();
      }}
    />
  );
}
