import { signal } from "@preact/signals";
import { Button } from "./Button.tsx";
import { Dialog } from "./Dialog.tsx";

interface Question {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  readonly answer: (isYes: boolean) => void;
}

const question = signal<Question | undefined>(undefined);

/** Asks before something that cannot be taken back; resolves with whether to do it. */
export async function ask(title: string, text: string, yes: string): Promise<boolean> {
  return await new Promise((resolve) => {
    question.value = {
      title,
      text,
      yes,
      answer: (isYes) => {
        question.value = undefined;
        resolve(isYes);
      },
    };
  });
}

/** Where questions appear; stands in the shell once. */
export function Questions() {
  const asked = question.value;
  if (asked === undefined) return null;
  return (
    <Dialog title={asked.title} onClose={() => asked.answer(false)}>
      <p>{asked.text}</p>
      <div class="actions">
        <Button onPress={() => asked.answer(false)}>Cancel</Button>
        <Button kind="danger" onPress={() => asked.answer(true)}>
          {asked.yes}
        </Button>
      </div>
    </Dialog>
  );
}
