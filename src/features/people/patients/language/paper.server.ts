import { type Kysely, sql } from 'kysely'
import * as z from 'zod'
import type { DB } from '~/db/types'
import { namedPatient } from '~/policy/on.server'
import { editPatient, knowPatient, readForSafety } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { mutation, query } from '~/server/operation'
import { can } from '~/shared/actor'
import { notFound } from '~/shared/errors'
import type { Language } from '~/shared/language'
import { PatientIdInput, PatientLanguage } from '../patient'

/** What decides the language of a patient's papers, labels and messages: the patient's, else the primary clinic's. */
export const languageOfPaper = query('patients.paperLanguage', {
  access: 'record',
  reads: ['patients'],
  looksUp: ['clinics'],
  input: PatientIdInput,
  on: namedPatient([knowPatient, ...readForSafety]),
  async run({ db, actor }, { patientId }) {
    const row = await languages(db, patientId)
      .select(sql<boolean>`${patientsWhere(editPatient, actor)}`.as('is_changeable'))
      .executeTakeFirst()
    if (!row) throw notFound('patients.notFound')
    return {
      patientId,
      language: row.language,
      clinicLanguage: row.clinic_language,
      mayChange: can(actor, 'update_patient') && row.is_changeable,
    }
  },
})
export type PaperLanguage = Awaited<ReturnType<typeof languageOfPaper>>

const languages = (db: Kysely<DB>, patientId: string) =>
  db
    .selectFrom('patients')
    .leftJoin('clinics', 'clinics.id', 'patients.primary_clinic_id')
    .select(['patients.language', 'clinics.language as clinic_language'])
    .where('patients.id', '=', patientId)

/** The language that is spoken with a patient; null if neither it nor that of the clinic is recorded. */
export async function spokenWith(db: Kysely<DB>, patientId: string): Promise<Language | null> {
  const row = await languages(db, patientId).executeTakeFirst()
  return row?.language ?? row?.clinic_language ?? null
}

/** Sets the language of a patient, from a paper; null: that of the clinic. */
export const setPatientLanguage = mutation('patients.setLanguage', {
  input: PatientIdInput.extend({ language: z.union([PatientLanguage, z.null()]) }),
  on: namedPatient(editPatient),
  allow: ({ actor }) => can(actor, 'update_patient'),
  async run({ db, actor }, { patientId, language }) {
    await db
      .updateTable('patients')
      .set({ language, last_modified_by: actor.userId, updated_at: new Date() })
      .where('id', '=', patientId)
      .where('language', 'is distinct from', language)
      .execute()
    return { patientId, language }
  },
})
