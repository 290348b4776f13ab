import { render } from "preact";
import { App } from "./App.tsx";
import { takeCredential } from "./service/sign-in.ts";
import { applyTheme } from "./page/theme.ts";

// Before anything is drawn or asked: a ticket must not stay in the address.
const credential = takeCredential();
applyTheme();
const root = document.getElementById("console");
if (root !== null) render(<App credential={credential} />, root);
