import { sql } from 'kysely'
import { loadActiveAllergies, isNoAllergyText } from '~/features/care/allergies/allergies.server'
import { toAllergyState } from '~/features/care/allergies/allergy'
import { loadPregnancyAnswers } from '~/features/care/pregnancies/pregnancies.server'
import { isPregnancyRelevant, pregnancyOn } from '~/features/care/pregnancies/pregnancy'
import {
  patientBirth,
  readBirthPrecision,
  PatientIdInput,
  withBirthPrecision,
} from '~/features/people/patients/patient'
import { namedPatient } from '~/policy/on.server'
import { editHistory, knowPatient, readForSafety } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { query } from '~/server/operation'
import { clinicToday } from '~/shared/zone'
import { isNoneKnown } from '~/records/allergy'

/**
 * Who a patient is and what must not be overlooked, for the line above every screen and dialog about
 * the patient. `allergies` and `pregnancy` are null for users who only know the identity; `pregnancy` also where it is
 * not asked about: men, other ages, the dead.
 */
export const patientBanner = query('patients.banner', {
  access: 'record',
  reads: ['events', 'patient_allergies', 'patient_pregnancies', 'patients', 'program_enrollments'],
  looksUp: ['report_bindings', 'users', 'visits'],
  on: namedPatient([knowPatient, ...readForSafety]),
  input: PatientIdInput,
  async run({ db, actor }, { patientId }, { patient }) {
    const { photo_url, external_patient_id, government_id, seesSafety, mayRecord } = await db
      .selectFrom('patients')
      .select(['photo_url', 'external_patient_id', 'government_id'])
      .select([
        sql<boolean>`${patientsWhere(readForSafety, actor)}`.as('seesSafety'),
        sql<boolean>`${patientsWhere(editHistory, actor)}`.as('mayRecord'),
      ])
      .where('id', '=', patientId)
      .executeTakeFirstOrThrow()
    const { id, given_name, surname, sex, date_of_birth, metadata, died_on, weeks_at_birth } =
      patient
    const today = clinicToday()
    const answers = seesSafety ? await loadPregnancyAnswers(db, patientId) : []
    const allergies = seesSafety
      ? (await loadActiveAllergies(db, patientId)).filter((allergy) => !isNoAllergyText(allergy))
      : null
    const known = pregnancyOn(answers, today)
    const isAsked = isPregnancyRelevant(sex, patientBirth(patient), today) || known.askedOn !== null
    return {
      id,
      given_name,
      surname,
      sex,
      date_of_birth,
      metadata: withBirthPrecision(null, readBirthPrecision(metadata)),
      died_on,
      weeks_at_birth,
      photo_url,
      external_patient_id,
      government_id,
      allergies: allergies && {
        state: toAllergyState(allergies).state,
        known: allergies
          .filter((allergy) => !isNoneKnown(allergy))
          .map(({ id: allergyId, substance, severity }) => ({
            id: allergyId,
            substance,
            severity,
          })),
      },
      pregnancy:
        seesSafety && isAsked && died_on === null
          ? { state: known.state, weeks: known.weeks, askedOn: known.askedOn }
          : null,
      /** May answer whether there are allergies. */
      mayRecord: seesSafety && mayRecord,
    }
  },
})
export type Banner = Awaited<ReturnType<typeof patientBanner>>
