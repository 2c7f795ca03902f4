import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { PART_SIZE } from '~/features/exchange/imports/import'
import type { DB } from '~/db/types'
import { storage } from '~/server/storage.server'
import { defaultPermissions, PERMISSIONS, type Permission, type Role } from '~/shared/permissions'
import { ENTITIES } from './entities/all'
import type { OfPatient } from './entities/entity'

type Values<T extends keyof DB> = Partial<Insertable<DB[T]>>
type Maker = <T extends OfPatient>(
  table: T,
  usual: () => Values<T>,
) => (values?: Values<T>) => Promise<Selectable<DB[T]>>
type TableOf<N extends keyof typeof ENTITIES> = (typeof ENTITIES)[N]['record']['table']
type EntityFactories = {
  [N in keyof typeof ENTITIES]: (values?: Values<TableOf<N>>) => Promise<Selectable<DB[TableOf<N>]>>
}
const factoriesOf = (ofPatient: Maker) =>
  Object.fromEntries(
    Object.entries(ENTITIES).map(([name, { record, stored }]) => [
      name,
      ofPatient<OfPatient>(record.table, stored),
    ]),
  ) as EntityFactories
let count = 0

/** The departments of an appointment as phones store them: the patient has visited none yet. */
export const stepsOf = (...departments: { id: string; name: string }[]) =>
  JSON.stringify(
    departments.map(({ id, name }) => ({
      id,
      name,
      seen_at: null,
      seen_by: null,
      status: 'pending',
    })),
  )

const reportOfVisits = {
  names: { en: 'Visits', ar: 'الزيارات', es: 'Consultas' },
  period: 'month',
  measures: { visits: { count: 'visits', in: 'period' } },
  sections: [
    {
      id: 'attendance',
      names: { en: 'Attendance', ar: 'المراجعون', es: 'Asistencia' },
      rows: [
        { id: 'visits', number: '1', names: { en: 'Visits' }, measure: 'visits' },
        { id: 'beds', number: '2', names: { en: 'Beds' }, measure: { manual: 'integer' } },
      ],
    },
  ],
}

/** The public part of a key that was thrown away. */
const A_KEY = {
  kty: 'EC',
  crv: 'P-384',
  kid: 'thrown-away',
  x: '4mNyZllHc03ssGoZbObJTL-eKibjmATAtsTOiYLiTcy8zgGJgbYpyCtgt6tyEaev',
  y: 'XlYXGmVJJfqBzBshngyVpfVDaP0e-7_QG7cX1KKNeHXpxp59aXmlPVIIgA_1YIPr',
}

const daysAgo = (days: number) =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

const aMessage = {
  program: 'hypertension',
  schedule_code: 'htn-review',
  due_on: daysAgo(30),
  language: 'en',
  body: 'Please come.',
  zone: 'UTC',
}

/** Valid rows without ceremony: say only what the test is about. What a row needs is made along with it. */
export const makeFactories = (db: Kysely<DB>) => {
  /** Makes a row of a patient, and the patient unless the row names one. */
  const ofPatient =
    <T extends OfPatient>(table: T, usual: () => Values<T>) =>
    async (values: Values<T> = {}): Promise<Selectable<DB[T]>> => {
      const row: Record<string, unknown> = { id: uuidv7(), ...usual(), ...values }
      row['patient_id'] ??= (await make.patient()).id
      const tables = db as unknown as Kysely<Record<string, Record<string, unknown>>>
      const made = await tables
        .insertInto(table)
        .values(row)
        .returningAll()
        .executeTakeFirstOrThrow()
      return made as Selectable<DB[T]>
    }
  const make = {
    ...factoriesOf(ofPatient),

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

    /** The clinic reads what other clinics recorded of the patient. */
    opening: async (
      values: Values<'history_openings'> & { patient_id: string; clinic_id: string },
    ) =>
      db
        .insertInto('history_openings')
        .values({
          id: uuidv7(),
          reason: 'here',
          until: new Date(Date.now() + 90 * 86_400_000),
          ...values,
          opened_by: values.opened_by ?? (await make.user()).id,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    emergency: async (values: Values<'emergency_accesses'> & { patient_id: string }) =>
      db
        .insertInto('emergency_accesses')
        .values({
          id: uuidv7(),
          reason: 'Found unconscious at the gate',
          until: new Date(Date.now() + 4 * 3_600_000),
          ...values,
          user_id: values.user_id ?? (await make.user()).id,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    vital: ofPatient('patient_vitals', () => ({
      temperature_celsius: 37.2,
    })),

    problem: ofPatient('patient_problems', () => ({
      problem_code_system: 'icd10',
      problem_code: 'I10',
      problem_label: 'Hypertension',
    })),

    drug: (values: Values<'drug_catalogue'> = {}) =>
      db
        .insertInto('drug_catalogue')
        .values({
          id: uuidv7(),
          generic_name: `Amoxicillin ${(count += 1)}`,
          ingredients: ['amoxicillin'],
          form: 'capsule',
          route: 'oral',
          dosage_quantity: 500,
          dosage_units: 'mg',
          ...values,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    batch: async (values: Values<'drug_batches'> = {}) =>
      db
        .insertInto('drug_batches')
        .values({
          id: uuidv7(),
          batch_number: `B${(count += 1)}`,
          expiry_date: '2099-12-31',
          received_date: '2026-01-05',
          ...values,
          drug_id: values.drug_id ?? (await make.drug()).id,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    /** A quantity of a batch, received in a clinic. */
    stock: async (clinicId: string, quantity: number, values: Values<'drug_batches'> = {}) => {
      const batch = await make.batch(values)
      await db
        .insertInto('inventory_transactions')
        .values({
          clinic_id: clinicId,
          drug_id: batch.drug_id,
          batch_id: batch.id,
          transaction_type: 'received',
          quantity,
          reference_type: 'receipt',
          reference_id: uuidv7(),
          day: '2026-01-05',
        })
        .execute()
      return batch
    },

    eventForm: (values: Values<'event_forms'> = {}) =>
      db
        .insertInto('event_forms')
        .values({ id: uuidv7(), name: `Check-up ${(count += 1)}`, ...values })
        .returningAll()
        .executeTakeFirstOrThrow(),

    /** Of an hour from now. */
    appointment: async (values: Values<'appointments'> = {}) =>
      db
        .insertInto('appointments')
        .values({
          id: uuidv7(),
          timestamp: new Date(Date.now() + 3_600_000),
          reason: 'checkup',
          ...values,
          patient_id: values.patient_id ?? (await make.patient()).id,
          clinic_id: values.clinic_id ?? (await make.clinic()).id,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    /** Enrolled by hand, 60 days ago. */
    enrollment: async (values: Values<'program_enrollments'> = {}) => {
      const clinic_id = values.clinic_id ?? (await make.clinic()).id
      const patient_id =
        values.patient_id ?? (await make.patient({ primary_clinic_id: clinic_id })).id
      return db
        .insertInto('program_enrollments')
        .values({
          id: uuidv7(),
          program: 'hypertension',
          enrolled_on: daysAgo(60),
          recorded_clinic_id: clinic_id,
          ...values,
          clinic_id,
          patient_id,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
    },

    /** A call of an hour ago to a patient whose date was 30 days ago. */
    followUpCall: async (values: Values<'follow_up_calls'> & { patient_id: string }) =>
      db
        .insertInto('follow_up_calls')
        .values({
          id: uuidv7(),
          program: 'hypertension',
          schedule_code: 'htn-review',
          step: 'visit',
          due_on: daysAgo(30),
          // an hour ago, but today
          called_at: new Date(Math.max(Date.now() - 3_600_000, new Date().setUTCHours(0, 0, 0, 0))),
          result: 'remind_to_call_later',
          remind_on: daysAgo(-7),
          ...values,
          clinic_id: values.clinic_id ?? (await make.clinic()).id,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    consent: (patient_id: string, channel: 'sms' | 'letter') =>
      db
        .insertInto('contact_consents')
        .values({ id: uuidv7(), patient_id, channel, agreed: true, wording_version: 1 })
        .execute(),

    /** A letter of ten days ago to a patient who agrees to letters. */
    message: async (values: Values<'messages'> & { patient_id: string }) => {
      await make.consent(values.patient_id, 'letter')
      return db
        .insertInto('messages')
        .values({
          ...aMessage,
          id: uuidv7(),
          item_id: uuidv7(),
          channel: 'letter',
          created_at: new Date(Date.now() - 10 * 86_400_000),
          state: 'printed',
          ...values,
          clinic_id: values.clinic_id ?? (await make.clinic()).id,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
    },

    /** A text message that waits for the gateway until noon. */
    queuedMessage: async (values: Values<'messages'> & { patient_id: string }) => {
      await make.consent(values.patient_id, 'sms')
      return db
        .insertInto('messages')
        .values({
          ...aMessage,
          id: uuidv7(),
          item_id: uuidv7(),
          channel: 'sms',
          phone: '+963944123456',
          due_at: new Date(new Date().setUTCHours(12, 0, 0, 0)),
          state: 'queued',
          ...values,
          clinic_id: values.clinic_id ?? (await make.clinic()).id,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
    },

    /** A filled-in form; `answers` as phones write them, by the id of the field. */
    event: async ({
      answers = {},
      ...values
    }: Values<'events'> & { answers?: Record<string, unknown> } = {}) => {
      const visit =
        values.visit_id === undefined
          ? await make.visit({
              patient_id: values.patient_id,
              check_in_timestamp: values.created_at,
            })
          : undefined
      const entries = Object.entries(answers).map(([fieldId, value]) => ({
        fieldId,
        name: fieldId,
        inputType: 'text',
        fieldType: 'free-text',
        value,
      }))
      return db
        .insertInto('events')
        .values({
          id: uuidv7(),
          visit_id: visit?.id,
          form_data: JSON.stringify(entries),
          ...values,
          patient_id: values.patient_id ?? visit?.patient_id ?? (await make.patient()).id,
          form_id: values.form_id === undefined ? (await make.eventForm()).id : values.form_id,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
    },

    /** A file of a filled-in form, in the record and in the store. */
    eventFile: async (
      event: { id: string; patient_id: string; visit_id: string | null },
      field_id = 'scan',
    ) => {
      const bytes = Buffer.from('%PDF-1.7 a scan')
      const file = await db
        .insertInto('event_files')
        .values({
          id: uuidv7(),
          event_id: event.id,
          patient_id: event.patient_id,
          visit_id: event.visit_id!,
          field_id,
          name: 'scan.pdf',
          mime_type: 'application/pdf',
          size: bytes.length,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      await storage().put(`event-files/${file.id}.pdf`, bytes)
      return file
    },

    /** Of which an allergy was taken over. */
    takenDocument: async (values: Values<'patient_documents'> & { patient_id: string }) => {
      const document = await db
        .insertInto('patient_documents')
        .values({ id: uuidv7(), written_by: 'Hospital', file_name: 'ips.json', ...values })
        .returningAll()
        .executeTakeFirstOrThrow()
      const { id } = await make.allergy({
        patient_id: values.patient_id,
        substance: 'Latex',
        substance_kind: 'other',
        substance_code: null,
        metadata: JSON.stringify({ document: { file: 'ips.json', entries: [uuidv7()] } }),
      })
      await db
        .insertInto('patient_document_rows')
        .values({ document_id: document.id, table_name: 'patient_allergies', row_id: id })
        .execute()
      return document
    },

    /** The patient was asked and has none. */
    noAllergies: (patient_id: string) =>
      make.allergy({
        patient_id,
        substance: 'No known allergies',
        substance_kind: 'none_known',
        substance_code: null,
      }),

    pregnancy: ofPatient('patient_pregnancies', () => ({
      state: 'pregnant',
      asked_on: new Date().toISOString().slice(0, 10),
    })),

    prescriptionSet: async (values: Values<'prescription_sets'> = {}) =>
      db
        .insertInto('prescription_sets')
        .values({
          id: uuidv7(),
          name: 'Malaria',
          ...values,
          user_id: values.user_id ?? (await make.user()).id,
          items:
            values.items ??
            JSON.stringify([
              {
                drug_id: (await make.drug()).id,
                dosage_instructions: 'Twice a day',
                dose: null,
                quantity_prescribed: 10,
                notes: null,
              },
            ]),
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    medicineDecision: ofPatient('medicine_decisions', () => ({
      decision: 'keep',
      decided_on: '2026-01-05',
      kind: 'form',
      name: 'Ibuprofen',
      listed: 1,
    })),

    /** What a move left for a clinician. */
    movedInReview: ofPatient('moved_in_reviews', () => ({
      table_name: 'patient_problems',
      row_id: uuidv7(),
      column_name: 'clinical_status',
      rule: 'unknownStatus',
      word: 'lingering',
    })),

    prescription: async (values: Values<'prescriptions'> = {}) =>
      db
        .insertInto('prescriptions')
        .values({
          id: uuidv7(),
          ...values,
          patient_id: values.patient_id ?? (await make.patient()).id,
          pickup_clinic_id: values.pickup_clinic_id ?? (await make.clinic()).id,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    /** One medicine of a prescription: 10 of it, unless the test says otherwise. */
    prescriptionItem: async (
      prescription: { id: string; patient_id: string; pickup_clinic_id: string | null },
      values: Values<'prescription_items'> = {},
    ) =>
      db
        .insertInto('prescription_items')
        .values({
          id: uuidv7(),
          prescription_id: prescription.id,
          patient_id: prescription.patient_id,
          clinic_id: prescription.pickup_clinic_id,
          dosage_instructions: 'One in the morning',
          quantity_prescribed: 10,
          ...values,
          drug_id: values.drug_id ?? (await make.drug()).id,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    /** A row that a phone sent and that could not be applied. */
    refusedRow: (
      patient: { id: string; primary_clinic_id: string | null },
      author: { id: string },
    ) =>
      db
        .insertInto('sync_quarantine')
        .values({
          user_id: author.id,
          table_name: 'patients',
          row_id: patient.id,
          operation: 'save',
          row: JSON.stringify({
            id: patient.id,
            phone: '555 0100',
            _status: 'updated',
            _changed: 'phone',
          }),
          reason: 'sync.reason_notPermitted',
          patient_id: patient.id,
          clinic_id: patient.primary_clinic_id,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    /** A value that a phone sent after another user had changed the same column. */
    lostValue: (
      patient: { id: string; primary_clinic_id: string | null },
      author: { id: string },
    ) =>
      db
        .insertInto('sync_conflicts')
        .values({
          user_id: author.id,
          table_name: 'patients',
          row_id: patient.id,
          column_name: 'phone',
          patient_id: patient.id,
          clinic_id: patient.primary_clinic_id,
          phone_value: JSON.stringify('555 0100'),
          server_value: JSON.stringify('555 0199'),
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    /** The definition of a report of visits, and of a value that users enter; another `body` replaces it. */
    report: (body: Record<string, unknown> = {}) => {
      const code = `report-${(count += 1)}`
      return db
        .insertInto('report_definitions')
        .values({
          id: uuidv7(),
          code: typeof body['code'] === 'string' ? body['code'] : code,
          body: JSON.stringify({ ...reportOfVisits, code, ...body }),
        })
        .returningAll()
        .executeTakeFirstOrThrow()
    },

    /** A closed run of the report, without cells. */
    reportRun: (
      report: { id: string; version: number },
      values: Omit<Values<'report_runs'>, 'clinic_ids'> & { clinic_ids: string[] },
    ) =>
      db
        .insertInto('report_runs')
        .values({
          id: uuidv7(),
          definition_id: report.id,
          version: report.version,
          period: '2026-07',
          starts_at: '2026-07-01T00:00:00Z',
          ends_at: '2026-08-01T00:00:00Z',
          zone: 'UTC',
          ...values,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    /** A program that acts as this user, with a key that nobody holds. */
    apiClient: (user: { id: string }, values: Partial<Values<'api_clients'>> = {}) =>
      db
        .insertInto('api_clients')
        .values({
          id: uuidv7(),
          name: `Program ${(count += 1)}`,
          user_id: user.id,
          scopes: 'system/*.cruds',
          jwks: JSON.stringify({ keys: [A_KEY] }, null, 2),
          ...values,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    /** A phone of this user that has signed in through the hub. */
    hubPhone: (user: { id: string }, values: Partial<Values<'hub_phones'>> = {}) =>
      db
        .insertInto('hub_phones')
        .values({
          client_id: crypto.randomUUID(),
          user_id: user.id,
          public_key: Buffer.from(crypto.getRandomValues(new Uint8Array(32))),
          ...values,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    /** A phone of this user that has not been sent everything since a restore. */
    async waitingPhone(user: { id: string }) {
      const chain = await db
        .insertInto('sync_chains')
        .values({ user_id: user.id, last_pull_at: new Date() })
        .returningAll()
        .executeTakeFirstOrThrow()
      await sql`insert into sync_pulls (id, chain_id, user_id, snapshot, scope, held, withheld)
        values (next_pull_number(), ${chain.id}, ${user.id}, pg_current_snapshot(), '{}', '{}',
          'upload')`.execute(db)
      return chain
    },

    /** A file that an administrator sent, ready to be imported. */
    upload: async (text: string | Buffer, values: Values<'imports'> = {}) => {
      const bytes = typeof text === 'string' ? Buffer.from(text) : text
      const made = await db
        .insertInto('imports')
        .values({
          id: uuidv7(),
          file_name: 'people.csv',
          file_size: bytes.length,
          status: 'ready',
          ...values,
          clinic_id: values.clinic_id === undefined ? (await make.clinic()).id : values.clinic_id,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      const parts = Math.ceil(bytes.length / PART_SIZE)
      for (let part = 0; part < parts; part += 1)
        await db
          .insertInto('import_parts')
          .values({
            import_id: made.id,
            part,
            bytes: bytes.subarray(part * PART_SIZE, (part + 1) * PART_SIZE),
          })
          .execute()
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
          ...(Object.fromEntries(PERMISSIONS.map((p) => [p, held.includes(p)])) as Record<
            Permission,
            boolean
          >),
        })
        .returningAll()
        .executeTakeFirstOrThrow(),
  }
  return make
}
