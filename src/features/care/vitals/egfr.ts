import type { Sex } from '~/fields/sex'
import { UMOL_PER_MG_DL } from '~/shared/creatinine'

/** The equation was made from adults; children need another, with their height. */
export const EGFR_FROM_YEARS = 18

/**
 * Estimated glomerular filtration rate in mL/min/1.73 m², whole: CKD-EPI creatinine equation of 2021, without race
 * (Inker et al., N Engl J Med 2021;385:1737-49, https://www.kidney.org/ckd-epi-creatinine-equation-2021-0).
 * Null below 18 years.
 */
export function computeEgfr(creatinineUmolL: number, years: number, sex: Sex): number | null {
  if (years < EGFR_FROM_YEARS) return null
  const isFemale = sex === 'female'
  const ratio = creatinineUmolL / UMOL_PER_MG_DL / (isFemale ? 0.7 : 0.9)
  const alpha = isFemale ? -0.241 : -0.302
  const ofRatio = Math.min(ratio, 1) ** alpha * Math.max(ratio, 1) ** -1.2
  return Math.round(142 * ofRatio * 0.9938 ** years * (isFemale ? 1.012 : 1))
}
