// How a citation was checked, and what no source says, in words of the person's language.

const WORDS = {
  en: ["Checked: the source says this", "Figures, names and wording match; not judged", "Not checked", "Not from the sources"],
  de: ["Geprüft: Die Quelle sagt das", "Zahlen, Namen und Wortlaut passen; nicht beurteilt", "Nicht geprüft", "Nicht aus den Quellen"],
  fr: ["Vérifié : la source le dit", "Chiffres, noms et termes concordent ; non jugé", "Non vérifié", "Ne vient pas des sources"],
  es: ["Comprobado: la fuente lo dice", "Cifras, nombres y palabras coinciden; sin valorar", "Sin comprobar", "No procede de las fuentes"],
  ko: ["확인됨: 출처에 있는 내용입니다", "숫자, 이름, 표현이 일치하지만 판정되지 않았습니다", "확인되지 않음", "출처에 없는 내용입니다"],
  zh: ["已核实：来源如此表述", "数字、名称和用词相符，未经判断", "未核实", "并非来自来源"],
  ja: ["確認済み：出典にそう書かれています", "数字・名前・表現は一致（未判定）", "未確認", "出典にない内容です"],
};
const ORDER = ["supported", "matched", "unchecked", "unsupported"];

/** Says a check's outcome: "supported", "matched", "unchecked" or "unsupported". */
export function checkText(check) {
  const known = navigator.languages.map((tag) => tag.slice(0, 2)).find((code) => code in WORDS);
  return WORDS[known ?? "en"][ORDER.indexOf(check)] ?? "";
}
