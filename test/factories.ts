import type { Insertable, Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { DB } from '~/db/types'
import { defaultPermissions, PERMISSIONS, type Permission, type Role } from '~/shared/permissions'

type Values<T extends keyof DB> = Partial<Insertable<DB[T]>>
let count = 0

/** Valid rows without ceremony: say only what the test is about. What a row needs is made along with it. */
export const makeFactories = (db: Kysely<DB>) => {
  const make = {
    clinic: (values: Values<'clinics'> = {}) =>
      db
        .insertInto('clinics')
        .values({ id: uuidv7(), name: `Riverside ${(count += 1)}`, ...values })
        .returningAll()
        .executeTakeFirstOrThrow(),

    department: async (values: Values<'clinic_departments'> = {}) =>
      db
        .insertInto('clinic_departments')
        .values({
          id: uuidv7(),
          name: `Pharmacy ${(count += 1)}`,
          ...values,
          clinic_id: values.clinic_id ?? (await make.clinic()).id,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    user: (values: Values<'users'> = {}) =>
      db
        .insertInto('users')
        .values({
          id: uuidv7(),
          name: 'Amal Haddad',
          email: `amal${(count += 1)}@clinic.example`,
          role: 'provider',
          ...values,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    patient: (values: Values<'patients'> = {}) =>
      db
        .insertInto('patients')
        .values({
          id: uuidv7(),
          given_name: 'Layla',
          surname: `Mansour ${(count += 1)}`,
          sex: 'female',
          date_of_birth: '1990-05-17',
          ...values,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    visit: async (values: Values<'visits'> = {}) =>
      db
        .insertInto('visits')
        .values({
          id: uuidv7(),
          ...values,
          patient_id: values.patient_id ?? (await make.patient()).id,
          clinic_id: values.clinic_id ?? (await make.clinic()).id,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    vital: async (values: Values<'patient_vitals'> = {}) =>
      db
        .insertInto('patient_vitals')
        .values({
          id: uuidv7(),
          temperature_celsius: 37.2,
          ...values,
          patient_id: values.patient_id ?? (await make.patient()).id,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    problem: async (values: Values<'patient_problems'> = {}) =>
      db
        .insertInto('patient_problems')
        .values({
          id: uuidv7(),
          problem_code_system: 'icd10',
          problem_code: 'I10',
          problem_label: 'Hypertension',
          ...values,
          patient_id: values.patient_id ?? (await make.patient()).id,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    /** A file that an administrator sent, ready to be imported. */
    upload: async (text: string, values: Values<'imports'> = {}) => {
      const bytes = Buffer.from(text)
      const made = await db
        .insertInto('imports')
        .values({
          id: uuidv7(),
          file_name: 'people.csv',
          file_size: bytes.length,
          status: 'ready',
          ...values,
          clinic_id: values.clinic_id ?? (await make.clinic()).id,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      await db.insertInto('import_parts').values({ import_id: made.id, part: 0, bytes }).execute()
      return made
    },

    /** A permission row; without a list, what the role gets by default. */
    permission: (
      user: { id: string; role: string },
      clinicId: string,
      held: readonly Permission[] = defaultPermissions(user.role as Role),
    ) =>
      db
        .insertInto('user_clinic_permissions')
        .values({
          user_id: user.id,
          clinic_id: clinicId,
          ...(Object.fromEntries(PERMISSIONS.map((p) => [p, held.includes(p)])) as Record<Permission, boolean>),
        })
        .returningAll()
        .executeTakeFirstOrThrow(),
  }
  return make
}
