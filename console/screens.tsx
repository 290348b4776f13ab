import type { ScreenEntry } from "./shell/screen-entry.ts";
import { may } from "./service/rights.ts";
import { mayControl } from "./controls/may-control.ts";
import { HomeScreen } from "./home/HomeScreen.tsx";
import { DiscoverScreen } from "./discover/DiscoverScreen.tsx";
import { RunsScreen } from "./runs/RunsScreen.tsx";
import { lazyScreen } from "./shell/lazy-screen.tsx";

const SpendScreen = lazyScreen(async () => (await import("./spend/SpendScreen.tsx")).SpendScreen);

/** Every screen, in the order of the navigation. */
export const screens: readonly ScreenEntry[] = [
  { id: "home", name: "Home", icon: "home", isOpen: () => true, view: HomeScreen },
  { id: "discover", name: "Discover", icon: "discover", isOpen: () => true, view: DiscoverScreen },
  { id: "runs", name: "Runs", icon: "runs", isOpen: () => may("listRuns"), view: RunsScreen },
  { id: "spend", name: "Spend", icon: "spend", isOpen: () => may("getUsage"), view: SpendScreen },
  {
    id: "catalog",
    name: "Catalog",
    icon: "catalog",
    isOpen: () => true,
    view: lazyScreen(async () => (await import("./catalog/CatalogScreen.tsx")).CatalogScreen),
  },
  {
    id: "controls",
    name: "Controls",
    icon: "controls",
    isOpen: mayControl,
    view: lazyScreen(async () => (await import("./controls/ControlsScreen.tsx")).ControlsScreen),
  },
  {
    id: "keys",
    name: "Keys and people",
    icon: "keys",
    isOpen: () => may("listApiKeys") || may("createApiKey"),
    view: lazyScreen(async () => (await import("./keys/KeysScreen.tsx")).KeysScreen),
  },
  {
    id: "wallet",
    name: "Wallet",
    icon: "wallet",
    isOpen: () => may("getWalletBalance"),
    view: lazyScreen(async () => (await import("./wallet/WalletScreen.tsx")).WalletScreen),
  },
];
