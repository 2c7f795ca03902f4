/** µmol/L in 1 mg/dL of creatinine. */
export const UMOL_PER_MG_DL = 88.4
