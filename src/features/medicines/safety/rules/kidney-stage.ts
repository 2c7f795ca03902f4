/**
 * Stages of chronic kidney disease by ICD-10 (N18.3 to N18.5, and of the clinical modification N18.30 to N18.32 and
 * N18.6), with the highest eGFR of each: KDIGO 2012, table 5 (G3a 45 to 59, G3b 30 to 44, G4 15 to 29, G5 below 15).
 */
const STAGES = [
  { codes: ['N18.5', 'N18.6'], name: '5', most: 14 },
  { codes: ['N18.4'], name: '4', most: 29 },
  { codes: ['N18.32'], name: '3b', most: 44 },
  { codes: ['N18.3'], name: '3', most: 59 },
]

/** The worst stage among the ICD-10 codes of a patient's problems. */
export const stageOf = (codes: readonly string[]) =>
  STAGES.find((stage) => codes.some((code) => stage.codes.some((start) => code.startsWith(start))))
