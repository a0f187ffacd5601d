// Example questions for the welcome; each shows a different way through the pipeline.

export const EXAMPLES = [
  { kind: "Weighs sources that disagree", text: "What did the new Ondry Bridge cost?" },
  { kind: "Looks for the latest", text: "What is the latest version of Fennwick?" },
  { kind: "Answers in your language", text: "TideConf 2027은 언제 어디서 열리나요?" },
  { kind: "Needs no search", text: "Explain how photosynthesis works" },
];
