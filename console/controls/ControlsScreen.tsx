import type { ComponentType } from "preact";
import { Screen } from "../parts/Screen.tsx";
import { Tabs } from "../parts/Tabs.tsx";
import { go, href } from "../page/route.ts";
import { may, type Right } from "../service/rights.ts";
import type { ScreenProps } from "../shell/screen-entry.ts";
import { Approvals } from "./Approvals.tsx";
import { ApprovalRules } from "./ApprovalRules.tsx";
import { Budgets } from "./Budgets.tsx";
import type { ListProps } from "./list-props.ts";
import { RunCaps } from "./RunCaps.tsx";
import { Schedules } from "./Schedules.tsx";
import { Webhooks } from "./Webhooks.tsx";

interface ControlTab {
  readonly id: string;
  readonly name: string;
  readonly right: Right;
  readonly view: ComponentType<ListProps>;
}

const TABS: readonly ControlTab[] = [
  { id: "approvals", name: "Approvals", right: "listApprovals", view: Approvals },
  { id: "rules", name: "Rules", right: "listApprovalRules", view: ApprovalRules },
  { id: "budgets", name: "Budgets", right: "listBudgets", view: Budgets },
  { id: "caps", name: "Caps", right: "listRunCaps", view: RunCaps },
  { id: "webhooks", name: "Webhooks", right: "listWebhooks", view: Webhooks },
  { id: "schedules", name: "Schedules", right: "listSchedules", view: Schedules },
];

/** `#/controls/<tab>`: what may go ahead, what may be spent, who is told, and what runs by itself. */
export function ControlsScreen({ route: { path, query } }: ScreenProps) {
  const open = TABS.filter(({ right }) => may(right));
  const chosen = open.find(({ id }) => id === path[1]) ?? open[0];
  return (
    <Screen
      title="Controls"
      name="Controls"
      lead="What waits for a yes, what may be spent, who is told, and what runs by itself."
    >
      {chosen !== undefined && (
        <Tabs label="Kinds of controls" tabs={open} chosen={chosen.id} onChoose={(id) => go(href(["controls", id]))}>
          <chosen.view key={chosen.id} cursor={query.get("cursor") ?? undefined} one={path[2]} />
        </Tabs>
      )}
    </Screen>
  );
}
