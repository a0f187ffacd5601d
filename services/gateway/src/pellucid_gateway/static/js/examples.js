// Example questions for the welcome; each shows a different way through the pipeline.

export const EXAMPLES = [
  { kind: "Searches and reads pages", text: "What did the new Ondry Bridge cost?" },
  { kind: "Weighs sources that disagree", text: "When is TideConf 2027?" },
  { kind: "Answers in your language", text: "TideConf 2027 날짜와 장소는?" },
  { kind: "Needs no search", text: "Explain how photosynthesis works" },
];
