import { reportDefinition, type ReportDefinition } from '../cells/definition'
import antenatalImmunisation from './antenatal-immunisation.json'
import facilityActivity from './facility-activity.json'
import hypertensionDiabetes from './hypertension-diabetes.json'
import hypertensionDiabetesClinics from './hypertension-diabetes-clinics.json'
import hypertensionDiabetesFurther from './hypertension-diabetes-further.json'
import medicines from './medicines.json'
import opdMorbidity from './opd-morbidity.json'
import programOutcomes from './program-outcomes.json'

/** `version` grows with each change of a file that clinics receive; `date` is of its sources. */
export type StarterReport = {
  version: number
  date: string
  sources: readonly { text: string; url?: string }[]
  definition: ReportDefinition
}

/** The files of this folder, one row of the paper on each line. */
export const STARTER_REPORTS: readonly StarterReport[] = [
  opdMorbidity,
  hypertensionDiabetes,
  hypertensionDiabetesFurther,
  hypertensionDiabetesClinics,
  antenatalImmunisation,
  medicines,
  facilityActivity,
  programOutcomes,
].map(({ version, date, sources, ...body }) => ({
  version,
  date,
  sources,
  definition: reportDefinition.parse(body),
}))

export const starterReport = (code: string): ReportDefinition | undefined =>
  STARTER_REPORTS.find(({ definition }) => definition.code === code)?.definition
