import { languageField } from '~/fields/language-choice'

/** Asked by the web beside the registration form: phones do not know the column. */
export const patientLanguageField = languageField('patients.language', 'patients.languageHint')
