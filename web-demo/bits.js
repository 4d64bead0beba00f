// A SHA-256 as a picture of its 256 bits, 32 across and 8 down; blank for an empty text.

const COLUMNS = 32, ROWS = 8;

export function showBits(container, hex) {
  const bits = Array.from(hex, (digit) => parseInt(digit, 16).toString(2).padStart(4, "0")).join("");
  const squares = Array.from(bits, (bit, i) => bit === "1" ? `M${i % COLUMNS} ${Math.floor(i / COLUMNS)}h1v1h-1z` : "");
  container.innerHTML = `<svg viewBox="0 0 ${COLUMNS} ${ROWS}" aria-hidden="true"><path d="${squares.join("")}"/></svg>`;
}
