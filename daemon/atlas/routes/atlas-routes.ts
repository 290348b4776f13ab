import type { AtlasRoute } from "./atlas-route.ts";
import { calendarRoutes } from "./calendar-routes.ts";
import { countryRoutes } from "./countries.ts";
import { currencyRoutes } from "./currencies.ts";
import { geodesyRoutes } from "./geodesy-routes.ts";
import { languageRoutes } from "./languages.ts";
import { numberRoutes } from "./number-routes.ts";
import { reportRoutes } from "./report-routes.ts";
import { skyRoutes } from "./sky-routes.ts";
import { statusRoutes } from "./status-route.ts";
import { textRoutes } from "./text-routes.ts";
import { timeRoutes } from "./time-routes.ts";
import { timerRoutes } from "./timer-routes.ts";

/** All operations of atlas; catalog/atlas.yaml sets which of them are offered, and their prices. */
export const atlasRoutes: readonly AtlasRoute[] = [
  ...countryRoutes,
  ...languageRoutes,
  ...currencyRoutes,
  ...timeRoutes,
  ...calendarRoutes,
  ...skyRoutes,
  ...geodesyRoutes,
  ...textRoutes,
  ...numberRoutes,
  ...statusRoutes,
  ...reportRoutes,
  ...timerRoutes,
];
