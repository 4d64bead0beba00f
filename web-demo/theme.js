// Dark or light: as the system has it, until the person chooses. index.html applies the choice before the first paint.

const STORED = "pywasmtorch-theme";

export function followTheme(button, onChange) {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = stored();
  const apply = () => {
    const dark = (chosen ?? (system.matches ? "dark" : "light")) === "dark";
    root.dataset.theme = dark ? "dark" : "light";
    button.textContent = dark ? "Light" : "Dark";
    onChange();
  };
  button.addEventListener("click", () => {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    store(chosen);
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}

// storage may be forbidden; the choice then lasts as long as the page
function stored() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

function store(theme) {
  try {
    localStorage.setItem(STORED, theme);
  } catch {
    return;
  }
}
