/** The style sheets, from the ground up. */

import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/frame.css";
import "./styles/controls.css";
import "./styles/surfaces.css";
import "./styles/transcript.css";
import "./styles/markdown.css";
import "./styles/cards.css";
import "./styles/docks.css";
import "./styles/composer.css";
import "./styles/hero.css";
import "./styles/settings.css";
import "./styles/feedback.css";
