/**
 * Bold that ends or begins at Chinese, Japanese or Korean punctuation. The common rules
 * look for spaces around it, which those languages do not write.
 */

import { marked, type TokenizerAndRendererExtension } from "marked";

const CJK = "\\u3000-\\u303f\\u3040-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7af\\uff00-\\uffef";
const CJK_MARK = "\\u3001-\\u3003\\u3008-\\u3011\\u3014-\\u301b\\uff01-\\uff0f\\uff1a-\\uff1f“”‘’…—";
const ENDS = new RegExp(`^\\*\\*(?=[^\\s*])([^*\\n]*[^\\s*])\\*\\*(?=[${CJK}])`);
const BEGINS = new RegExp(`^\\*\\*(?=[${CJK_MARK}])([^*\\n]*[^\\s*])\\*\\*`);

const strong: TokenizerAndRendererExtension = {
  name: "cjkStrong",
  level: "inline",
  start: (src) => {
    const at = src.indexOf("**");
    return at < 0 ? undefined : at;
  },
  tokenizer(src) {
    const found = ENDS.exec(src) ?? BEGINS.exec(src);
    if (!found?.[1]) return undefined;
    const tokens = this.lexer.inlineTokens(found[1]);
    return { type: "strong", raw: found[0], text: found[1], tokens };
  },
};

let used = false;

export function cjkEmphasis(): void {
  if (!used) marked.use({ extensions: [strong] });
  used = true;
}
