import { sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import {
  deleteHistory,
  deletePatient,
  editHistory,
  knowPatient,
  readHistory,
  seeAccesses,
} from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { query } from '~/server/operation'
import { can, mayAnywhere } from '~/shared/actor'
import { notFound } from '~/shared/errors'
import { PatientId } from './patient'

/** What the actor may do with the history of a known patient: screens offer only that. */
export const patientRights = query('patients.rights', {
  access: 'record',
  reads: ['patients'],
  input: PatientId,
  allow: ({ actor }) =>
    can(actor, 'read_patient') && mayAnywhere(actor, ...knowPatient.permissions),
  async run({ db, actor }, { id }) {
    const rights = await db
      .selectFrom('patients')
      .modifyFront(asPrepared())
      .select([
        sql<boolean>`${patientsWhere(readHistory, actor)}`.as('see'),
        sql<boolean>`${patientsWhere(editHistory, actor)}`.as('write'),
        sql<boolean>`${patientsWhere(deleteHistory, actor)}`.as('remove'),
        sql<boolean>`${patientsWhere(deletePatient, actor)}`.as('removePatient'),
        sql<boolean>`${patientsWhere(seeAccesses, actor)}`.as('seesAccesses'),
      ])
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .where(patientsWhere(knowPatient, actor))
      .executeTakeFirst()
    if (!rights) throw notFound('patients.notFound')
    const { see, write, remove, ...others } = rights
    return { see, write: see && write, remove: see && remove, ...others }
  },
  shows: (_, { input }) => [input.id],
})
export type HistoryRights = Awaited<ReturnType<typeof patientRights>>
