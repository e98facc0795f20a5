import { render } from "preact";
import "./styles/tokens.css";

const place = document.getElementById("app");
if (place) render(<main>DSH Desktop</main>, place);
