import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { errorText } from "../../shared/error-text.ts";
import { say } from "../page/toasts.ts";
import { Icon, type IconName } from "./Icon.tsx";

interface ButtonProps {
  /** Its words; a button without any has a picture and a label. */
  readonly children?: ComponentChildren;
  readonly icon?: IconName;
  readonly kind?: "plain" | "primary" | "danger" | "quiet";
  readonly type?: "button" | "submit";
  readonly disabled?: boolean;
  /** What is done; while it is being done the button waits, and what goes wrong is said. */
  readonly onPress?: () => unknown;
  readonly label?: string;
}

export function Button({ children, icon, kind = "plain", type = "button", disabled, onPress, label }: ButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const press = async () => {
    if (isBusy || onPress === undefined) return;
    setBusy(true);
    try {
      await onPress();
    } catch (error) {
      say(errorText(error), "bad");
    } finally {
      setBusy(false);
    }
  };
  return (
    <button
      type={type}
      class={`button ${kind}${children === undefined ? " icon-only" : ""}`}
      disabled={disabled}
      aria-busy={isBusy}
      aria-label={label}
      onClick={() => void press()}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}
