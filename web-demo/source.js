// Colours a Python program: comments, strings and keywords.

const TOKEN = new RegExp([
  /(?<string>"""[^]*?"""|f?"(?:\\.|[^"\\\n])*"|f?'(?:\\.|[^'\\\n])*')/,
  /(?<comment>#.*)/,
  /\b(?<keyword>and|as|assert|class|def|elif|else|except|False|for|from|if|import|in|is|lambda|None|nonlocal|not|or|raise|return|True|try|while|with|yield)\b/,
].map((part) => part.source).join("|"), "g");

export function showSource(element, text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [kind] = Object.entries(match.groups).find(([, found]) => found !== undefined);
    const span = document.createElement("span");
    span.className = kind;
    span.textContent = match[0];
    parts.push(text.slice(end, match.index), span);
    end = match.index + match[0].length;
  }
  element.replaceChildren(...parts, text.slice(end));
}
