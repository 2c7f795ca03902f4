import type { Locator } from 'playwright-core'
import type { Fields } from '~/fields/field'
import { programName } from '~/features/care/programs/programs'
import { type Language, translated } from '~/shared/language'
import { PERMISSIONS } from '~/shared/permissions'
import type { Sayable } from '~/shared/say'
import { newKey } from '../api-clients'
import { ENTITIES } from '../entities/all'
import type { Entity, OfPatient } from '../entities/entity'
import { stepsOf } from '../factories'
import type { Person } from './browser'
import { addQuestion, EVENT_FORM, EVENT_TRANSLATIONS, QUESTIONS, type World } from './edit-world'
import { add, choose, type Field, pick, toggle, type } from './edit-fields'

/** One row of a table each, by the columns that tell it from the others. */
export type Rows = Record<string, { table: string; where: Record<string, unknown> }>
type Part = {
  /** From the screen to the form: a tab, the menu of a row. */
  open?: () => Promise<unknown>
  form: () => Locator
  fields: Field[]
  /** Labels of fields that are not changed here, with the reason. */
  left?: Record<string, string>
  /** Questions that come with an answer and are not asked again, and why. */
  askedOnce?: Record<string, string>
  /** What the form shows after a save, where that is not what was typed. */
  shown?: Record<string, string>
}
export type Opened = {
  path: string
  rows: Rows
  parts: Part[]
  /** Without it, every change is saved at once. */
  save?: () => Promise<unknown>
  /** Columns that follow from the others. */
  also?: Record<string, unknown>
  /** The field that is changed in Arabic. */
  one: string
  /** The button can only be pressed after a change. */
  savesOnlyChanges?: boolean
}
type Say = Person['say']
type Screen = {
  record: string
  route: string
  /** The components that draw its fields, under src/features. */
  forms: string[]
  of: (world: World, person: Person, say: Say) => Promise<Opened>
}

const pageForm =
  ({ page }: Person) =>
  () =>
    page.getByRole('main').locator('form')
const dialog =
  ({ page }: Person) =>
  () =>
    page.getByRole('dialog')
/** By keyboard: the note of an earlier save may lie over the button. */
const submit = (form: () => Locator) => () => form().locator('button[type=submit]').press('Enter')

/** Opens an entry of a row's menu. */
const fromMenu =
  ({ page }: Person, row: string, entry: string) =>
  async () => {
    await page.getByRole('row').filter({ hasText: row }).getByRole('button').last().click()
    await page.getByRole('menuitem', { name: entry, exact: true }).click()
  }

/** One of the settings asks for a sentence that confirms it. */
async function savesSettings({ page }: Person, say: Say) {
  const dialog = page.getByRole('dialog', { name: say('settings.disableTitle') })
  const answered = page.waitForResponse((response) => response.request().method() === 'POST')
  await submit(() => page.getByRole('main'))()
  await Promise.race([answered, dialog.waitFor()])
  if (await dialog.isVisible()) {
    await dialog.getByRole('textbox').fill(say('settings.disableSentence'))
    await dialog.getByRole('button', { name: say('settings.disableAction') }).click()
  }
  await answered
}

/** What a user types or chooses in the fields of a record, in this order: each value by its column. */
const filled = (fields: Fields, values: Record<string, string | number>, say: Say): Field[] =>
  Object.entries(values).map(([name, value]) => {
    const { label, options } = fields[name]!
    const lands = { [`row.${name}`]: value }
    const chosen = options?.find((option) => option.value === value)?.label
    return chosen === undefined
      ? type(inWords(label, say), String(value), lands)
      : choose(inWords(label, say), inWords(chosen, say), lands)
  })
const inWords = (what: Sayable, say: Say) => {
  if (typeof what === 'string') return say(what)
  return 'text' in what ? what.text : say(what.key)
}

/** A record that a tab of the patient’s page lists, edited in a dialog from the menu of its row. */
const editorOf = (name: keyof typeof ENTITIES): Screen => {
  const { record, dialog: file, tab, edited } = ENTITIES[name] as Entity<OfPatient>
  return {
    record: record.table,
    route: 'patients/$patientId.tsx',
    forms: [`${file}.tsx`],
    async of(world, person, say) {
      const make = world.make[name] as (
        values: object,
      ) => Promise<{ id: string; patient_id: string }>
      const { id, patient_id } = await make(edited.from(world))
      const fields = [
        ...(edited.more?.(world, say) ?? []),
        ...filled(record.fields, edited.values, say),
      ]
      return {
        path: `/app/patients/${patient_id}?tab=${tab}`,
        rows: { row: { table: record.table, where: { id } } },
        parts: [
          {
            open: fromMenu(person, edited.row, say('common.edit')),
            form: dialog(person),
            fields,
            left: edited.left?.(say) ?? {},
          },
        ],
        save: submit(dialog(person)),
        one: inWords(record.fields[edited.one]!.label, say),
      }
    },
  }
}

/** Every screen that changes a record, with every field that it draws. */
export const SCREENS: readonly Screen[] = [
  ...(Object.keys(ENTITIES) as (keyof typeof ENTITIES)[]).map(editorOf),
  {
    record: 'user',
    route: 'users/edit.{-$userId}.tsx',
    forms: ['office/users/UserForm.tsx'],
    async of({ make, clinics: [here, there] }, person, say) {
      const { id } = await make.user({ name: 'Rana Aziz', clinic_id: here.id, role: 'provider' })
      const email = `rana.${id.slice(-12)}@clinic.example`
      return {
        path: `/app/users/edit/${id}`,
        rows: { users: { table: 'users', where: { id } } },
        parts: [
          {
            form: pageForm(person),
            fields: [
              type(say('users.name'), 'رنا Aziz-Khoury', { 'users.name': 'رنا Aziz-Khoury' }),
              type(say('users.email'), email.toUpperCase(), { 'users.email': email }),
              choose(say('users.role'), say('roles.registrar'), { 'users.role': 'registrar' }),
              choose(say('users.clinic'), there.name, { 'users.clinic_id': there.id }),
            ],
            askedOnce: {
              [say('users.leftTitle', { name: 'Rana Aziz', clinic: here.name })]:
                'about the change of clinic: src/features/office/users/users.test.ts',
              [say('users.rolePermissions')]:
                'about the change of the role: src/features/office/users/users.test.ts',
            },
            shown: { [say('users.email')]: email },
          },
        ],
        save: submit(pageForm(person)),
        one: say('users.name'),
      }
    },
  },
  {
    record: 'program that signs in with a key',
    route: 'settings/api-clients.tsx',
    forms: ['office/api-clients/ApiClientDialog.tsx'],
    async of({ make, mark }, person, say) {
      const [user, other] = [
        await make.user({ name: `Laboratory ${mark}`, role: 'provider' }),
        await make.user({ name: `Hospital ${mark}`, role: 'provider' }),
      ]
      const { id } = await make.apiClient(user, { name: `Old program ${mark}` })
      const { jwk } = newKey('ES384', 'key-2')
      return {
        path: '/app/settings/api-clients',
        rows: { client: { table: 'api_clients', where: { id } } },
        parts: [
          {
            open: fromMenu(person, id, say('common.edit')),
            form: dialog(person),
            fields: [
              type(say('apiClients.name'), 'مختبر المدينة', { 'client.name': 'مختبر المدينة' }),
              choose(say('apiClients.user_id'), other.name, { 'client.user_id': other.id }),
              type(say('apiClients.scopes'), 'system/Patient.rs', {
                'client.scopes': 'system/Patient.rs',
              }),
              type(say('apiClients.jwks'), JSON.stringify(jwk), {
                'client.jwks': JSON.stringify({ keys: [jwk] }, null, 2),
              }),
              toggle(say('apiClients.is_active'), { 'client.is_active': false }),
            ],
            shown: { [say('apiClients.jwks')]: JSON.stringify({ keys: [jwk] }, null, 2) },
          },
        ],
        save: submit(dialog(person)),
        one: say('apiClients.name'),
      }
    },
  },
  {
    record: 'permissions',
    route: 'users/manage-permissions.{-$userId}.tsx',
    forms: ['office/users/PermissionCard.tsx'],
    async of({ make, clinics: [here] }, person, say) {
      const user = await make.user({ name: 'Rana Aziz', role: 'provider' })
      await make.permission(user, here.id, ['can_view_history', 'can_edit_records'])
      const form = () => person.page.getByRole('region', { name: here.name })
      const held = ['can_view_history', 'can_edit_records']
      return {
        path: `/app/users/manage-permissions/${user.id}`,
        rows: {
          row: {
            table: 'user_clinic_permissions',
            where: { user_id: user.id, clinic_id: here.id },
          },
        },
        parts: [
          {
            form,
            fields: PERMISSIONS.map((name) =>
              toggle(say(`permissions.${name}`), { [`row.${name}`]: !held.includes(name) }),
            ),
          },
        ],
        save: submit(form),
        one: say('permissions.is_clinic_admin'),
      }
    },
  },
  {
    record: 'clinic',
    route: 'clinics/edit.{-$clinicId}.tsx',
    forms: [],
    async of({ make, mark }, person, say) {
      const { id } = await make.clinic({ name: `Old mill ${mark}` })
      const name = `عيادة الطاحونة ${mark}`
      return {
        path: `/app/clinics/edit/${id}`,
        rows: { clinics: { table: 'clinics', where: { id } } },
        parts: [
          {
            form: pageForm(person),
            fields: [
              type(say('clinics.name'), name, { 'clinics.name': name }),
              type(say('clinics.address'), '3 Mill Road', { 'clinics.address': '3 Mill Road' }),
              type(say('clinics.phone'), '+962 6 123 456', { 'clinics.phone': '+962 6 123 456' }),
              choose(say('clinics.language'), say('account.language_es'), {
                'clinics.language': 'es',
              }),
            ],
          },
        ],
        save: submit(pageForm(person)),
        one: say('clinics.name'),
      }
    },
  },
  {
    record: 'department',
    route: 'clinics/$clinicId.tsx',
    forms: ['office/clinics/DepartmentDialog.tsx'],
    async of({ make }, person, say) {
      const { id, clinic_id } = await make.department({
        name: 'Maternity',
        code: 'MAT',
        description: 'Births\nand after',
        can_perform_labs: true,
        additional_capabilities: ['ultrasound'],
      })
      return {
        path: `/app/clinics/${clinic_id}`,
        rows: { departments: { table: 'clinic_departments', where: { id } } },
        parts: [
          {
            open: fromMenu(person, 'Maternity', say('common.edit')),
            form: dialog(person),
            fields: [
              type(say('departments.name'), 'Maternity ward', {
                'departments.name': 'Maternity ward',
              }),
              type(say('departments.code'), 'MW', { 'departments.code': 'MW' }),
              type(say('departments.description'), 'Births only\nأولًا', {
                'departments.description': 'Births only\nأولًا',
              }),
              toggle(say('departments.can_dispense_medications'), {
                'departments.can_dispense_medications': true,
              }),
              toggle(say('departments.can_perform_labs'), {
                'departments.can_perform_labs': false,
              }),
              toggle(say('departments.can_perform_imaging'), {
                'departments.can_perform_imaging': true,
              }),
              add(say('departments.additional_capabilities'), 'newborn care', {
                'departments.additional_capabilities.1': 'newborn care',
              }),
            ],
          },
        ],
        save: submit(dialog(person)),
        one: say('departments.description'),
      }
    },
  },
  {
    record: 'switches of a department',
    route: 'clinics/$clinicId.tsx',
    forms: [],
    async of({ make }, person, say) {
      const { id, clinic_id, name } = await make.department({ can_perform_labs: true })
      const capability = (
        column: 'can_dispense_medications' | 'can_perform_labs' | 'can_perform_imaging',
      ) =>
        toggle(`${name}: ${say(`departments.${column}`)}`, {
          [`row.${column}`]: column !== 'can_perform_labs',
        })
      return {
        path: `/app/clinics/${clinic_id}`,
        rows: { row: { table: 'clinic_departments', where: { id } } },
        parts: [
          {
            form: () => person.page.getByRole('table'),
            fields: ['can_dispense_medications', 'can_perform_labs', 'can_perform_imaging'].map(
              (column) => capability(column as 'can_perform_labs'),
            ),
          },
        ],
        one: `${name}: ${say('departments.can_perform_imaging')}`,
      }
    },
  },
  {
    record: 'medicine',
    route: 'inventory/drug-catalogue/edit/{-$drugId}.tsx',
    forms: ['medicines/drugs/DrugForm.tsx'],
    async of({ make }, person, say) {
      const code = String(Date.now())
      const { id } = await make.drug({
        generic_name: 'Amoxicillin',
        brand_name: 'Amoxil',
        barcode: `1${code}`,
        manufacturer: 'Hikma',
        sale_price: 2.5,
        sale_currency: 'JOD',
        min_stock_level: 10,
        max_stock_level: 100.5,
        is_controlled: true,
        notes: 'Take with water',
      })
      return {
        path: `/app/inventory/drug-catalogue/edit/${id}`,
        rows: { drug: { table: 'drug_catalogue', where: { id } } },
        parts: [
          {
            form: pageForm(person),
            fields: [
              type(say('drugs.generic_name'), 'Amoxicillin with clavulanic acid', {
                'drug.generic_name': 'Amoxicillin with clavulanic acid',
              }),
              type(say('drugs.brand_name'), 'أوغمنتين', { 'drug.brand_name': 'أوغمنتين' }),
              add(say('drugs.ingredients'), 'clavulanic acid', {
                'drug.ingredients.1': 'clavulanic acid',
              }),
              choose(say('drugs.form'), say('drugs.form_syrup'), { 'drug.form': 'syrup' }),
              choose(say('drugs.route'), say('drugs.route_nasal'), { 'drug.route': 'nasal' }),
              type(say('drugs.dosage_quantity'), '0.625', { 'drug.dosage_quantity': 0.625 }),
              choose(say('drugs.dosage_units'), say('drugs.unit_g'), { 'drug.dosage_units': 'g' }),
              type(say('drugs.per_quantity'), '2.5', { 'drug.per_quantity': 2.5 }),
              choose(say('drugs.per_unit'), say('drugs.unit_mL'), { 'drug.per_unit': 'mL' }),
              type(say('drugs.ingredient_strengths'), '500mg/125mg', {
                'drug.ingredient_strengths': '500 mg + 125 mg',
              }),
              type(say('drugs.barcode'), `2${code}`, { 'drug.barcode': `2${code}` }),
              type(say('drugs.manufacturer'), 'Dar Al Dawa', {
                'drug.manufacturer': 'Dar Al Dawa',
              }),
              type(say('drugs.sale_price'), '٣٫٧٥', { 'drug.sale_price': 3.75 }),
              type(say('drugs.sale_currency'), 'usd', { 'drug.sale_currency': 'USD' }),
              type(say('drugs.min_stock_level'), '12.5', { 'drug.min_stock_level': 12.5 }),
              type(say('drugs.max_stock_level'), '250', { 'drug.max_stock_level': 250 }),
              toggle(say('drugs.is_controlled'), { 'drug.is_controlled': false }),
              toggle(say('drugs.requires_refrigeration'), { 'drug.requires_refrigeration': true }),
              toggle(say('drugs.is_active'), { 'drug.is_active': false }),
              type(say('drugs.notes'), 'Shake well', { 'drug.notes': 'Shake well' }),
            ],
            shown: {
              [say('drugs.sale_price')]: '3.75',
              [say('drugs.sale_currency')]: 'USD',
              [say('drugs.ingredient_strengths')]: '500 mg + 125 mg',
            },
          },
        ],
        save: submit(pageForm(person)),
        one: say('drugs.sale_price'),
      }
    },
  },
  {
    record: 'batch',
    route: 'inventory/clinic-inventory/drug/edit/{-$drugId}.tsx',
    forms: ['medicines/inventory/BatchAction.tsx'],
    async of({ make, clinics: [here] }, person, say) {
      const { id, drug_id } = await make.stock(here.id, 40, {
        batch_number: 'LOT-17',
        expiry_date: '2031-12-31',
        manufacture_date: '2025-02-01',
        supplier_name: 'Central store',
        purchase_price: 1.25,
        purchase_currency: 'JOD',
        received_date: '2026-01-05',
      })
      return {
        path: `/app/inventory/clinic-inventory/drug/edit/${drug_id}?clinic=${here.id}`,
        rows: { batch: { table: 'drug_batches', where: { id } } },
        parts: [
          {
            open: fromMenu(person, 'LOT-17', say('batches.do_correct')),
            form: dialog(person),
            fields: [
              type(say('batches.number'), 'LOT-17B', { 'batch.batch_number': 'LOT-17B' }),
              type(say('batches.expiry'), '2031-11-30', { 'batch.expiry_date': '2031-11-30' }),
              type(say('batches.reasonForExpiry'), 'Misread', {}),
              type(say('batches.manufactured'), '2025-03-02', {
                'batch.manufacture_date': '2025-03-02',
              }),
              type(say('batches.supplier'), 'المستودع', { 'batch.supplier_name': 'المستودع' }),
              type(say('batches.price'), '0.75', { 'batch.purchase_price': 0.75 }),
              type(say('drugs.sale_currency'), 'usd', { 'batch.purchase_currency': 'USD' }),
              type(say('batches.received'), '2026-01-06', { 'batch.received_date': '2026-01-06' }),
            ],
            // the reason is of the movement, not of the batch
            shown: { [say('drugs.sale_currency')]: 'USD', [say('batches.reasonForExpiry')]: '' },
          },
        ],
        save: submit(dialog(person)),
        one: say('batches.supplier'),
      }
    },
  },
  {
    record: 'appointment',
    route: 'appointments/edit/{-$appointmentId}.tsx',
    forms: ['day/appointments/AppointmentForm.tsx'],
    async of({ make, clinics: [here, there], departments, providers: [nadia, omar] }, person, say) {
      const { id } = await make.appointment({
        clinic_id: here.id,
        provider_id: nadia.id,
        timestamp: '2026-12-01T08:15:42.123Z',
        duration: 45,
        reason: 'checkup',
        notes: 'Bring the\nlast results',
        departments: stepsOf(departments.here[0]),
      })
      return {
        path: `/app/appointments/edit/${id}`,
        rows: { row: { table: 'appointments', where: { id } } },
        parts: [
          {
            form: pageForm(person),
            fields: [
              choose(say('clinics.one'), there.name, { 'row.clinic_id': there.id }),
              choose(say('appointments.provider'), omar.name, { 'row.provider_id': omar.id }),
              pick(say('appointments.departments'), [departments.there[0].name], {
                'row.departments.0.id': departments.there[0].id,
                'row.departments.0.name': departments.there[0].name,
              }),
              type(say('form.time.label'), '10:45', {}),
              type(say('appointments.date'), '2026-12-02', {
                'row.timestamp': '2026-12-02T07:45:00+00:00',
              }),
              type(say('appointments.duration'), '30', { 'row.duration': 30 }),
              choose(say('appointments.reason'), say('appointments.reasons.follow-up'), {
                'row.reason': 'follow-up',
              }),
              type(say('appointments.notes'), 'صائم', { 'row.notes': 'صائم' }),
            ],
          },
        ],
        save: submit(pageForm(person)),
        one: say('appointments.notes'),
      }
    },
  },
  {
    record: 'prescription',
    route: 'prescriptions/edit/{-$prescriptionId}.tsx',
    forms: ['medicines/prescriptions/writing/PrescriptionForm.tsx'],
    async of({ make, clinics: [here, there], providers: [nadia, omar] }, person, say) {
      const patient = await make.patient({ primary_clinic_id: here.id })
      await make.noAllergies(patient.id)
      const [before, after] = [
        await make.drug({
          ingredients: ['cetirizine'],
          generic_name: `Cetirizine ${patient.surname}`,
        }),
        await make.drug({
          ingredients: ['loratadine'],
          generic_name: `Loratadine ${patient.surname}`,
        }),
      ]
      const prescription = await make.prescription({
        patient_id: patient.id,
        provider_id: nadia.id,
        pickup_clinic_id: here.id,
        priority: 'high',
        expiration_date: '2027-01-30T21:00:00Z',
        prescribed_at: '2026-11-01T08:15:42.123Z',
        notes: 'Mornings\nonly',
      })
      const { id } = prescription
      const problem = await make.problem({ patient_id: patient.id, recorded_clinic_id: here.id })
      const item = await make.prescriptionItem(prescription, {
        drug_id: before.id,
        quantity_prescribed: 10.5,
        refills_authorized: 2,
        notes: 'In a box',
      })
      return {
        path: `/app/prescriptions/edit/${id}`,
        rows: {
          row: { table: 'prescriptions', where: { id } },
          item: { table: 'prescription_items', where: { id: item.id } },
        },
        parts: [
          {
            form: pageForm(person),
            left: {
              [say('prescriptions.patient')]: 'a prescription stays with its patient',
              ...Object.fromEntries(
                (
                  [
                    'amount',
                    'unit',
                    'often',
                    'daysLabel',
                    'food',
                    'route',
                    'maxLabel',
                    'asNeededLabel',
                  ] as const
                ).map((name) => [
                  say(`dose.${name}`),
                  'the sentence typed below replaces the numbers: dose.test.ts',
                ]),
              ),
            },
            fields: [
              choose(say('prescriptions.provider'), omar.name, { 'row.provider_id': omar.id }),
              choose(say('prescriptions.pickupClinic'), there.name, {
                'row.pickup_clinic_id': there.id,
              }),
              choose(say('prescriptions.priority'), say('prescriptions.priorities.low'), {
                'row.priority': 'low',
              }),
              choose(say('prescriptions.status'), say('prescriptions.statuses.other'), {
                'row.status': 'other',
              }),
              type(say('prescriptions.expirationDate'), '2027-03-31', {
                'row.expiration_date': '2027-03-30T21:00:00+00:00',
              }),
              type(say('prescriptions.notes'), 'مساءً', { 'row.notes': 'مساءً' }),
              choose(say('prescriptions.problem'), problem.problem_label, {
                'row.problem_id': problem.id,
              }),
              choose(
                say('prescriptions.medication'),
                after.generic_name,
                { 'item.drug_id': after.id },
                after.generic_name,
              ),
              type(say('prescriptions.dosageInstructions'), 'حبة كل مساء', {
                'item.dosage_instructions': 'حبة كل مساء',
              }),
              type(say('prescriptions.quantity'), '20', { 'item.quantity_prescribed': 20 }),
              type(say('prescriptions.refills'), '3', { 'item.refills_authorized': 3 }),
              choose(
                `${say('prescriptions.status')} (2)`,
                say('prescriptions.itemStatuses.completed'),
                {
                  'item.item_status': 'completed',
                },
              ),
              type(say('prescriptions.itemNotes'), 'In a bag', { 'item.notes': 'In a bag' }),
            ],
          },
        ],
        save: submit(pageForm(person)),
        also: { 'item.clinic_id': there.id },
        one: say('prescriptions.dosageInstructions'),
      }
    },
  },
  {
    record: 'visit',
    route: 'patients/$patientId.tsx',
    forms: ['record/visits/VisitDialog.tsx'],
    async of({ make, clinics: [here, there], providers: [nadia, omar] }, person, say) {
      const { id, patient_id } = await make.visit({
        clinic_id: here.id,
        provider_id: nadia.id,
        provider_name: nadia.name,
        check_in_timestamp: '2026-11-03T08:15:42.123Z',
        reason: 'Cough\nsince Monday',
      })
      return {
        path: `/app/patients/${patient_id}?tab=visits`,
        rows: { row: { table: 'visits', where: { id } } },
        parts: [
          {
            open: async () => {
              await person.page
                .getByRole('article')
                .first()
                .getByRole('button', { name: /2026|٢٠٢٦/ })
                .click()
              await person.page.getByRole('menuitem', { name: say('visits.edit') }).click()
              await dialog(person)().locator('form').waitFor()
            },
            form: dialog(person),
            fields: [
              choose(say('clinics.one'), there.name, { 'row.clinic_id': there.id }),
              choose(say('visits.provider'), omar.name, {
                'row.provider_id': omar.id,
                'row.provider_name': omar.name,
              }),
              type(say('form.time.label'), '23:30', {}),
              type(say('visits.checkIn'), '2026-11-02', {
                'row.check_in_timestamp': '2026-11-02T20:30:00+00:00',
                // an earlier day: who entered it, and on which day
                'row.entered_by_user_id': ANY_ID,
                'row.entered_on': ANY_ID,
              }),
              type(say('visits.reason'), 'سعال', { 'row.reason': 'سعال' }),
              choose(say('visits.is_revisit'), say('visits.revisit'), { 'row.is_revisit': true }),
            ],
          },
        ],
        save: submit(dialog(person)),
        one: say('visits.reason'),
      }
    },
  },
  {
    record: 'vital signs',
    route: 'patients/$patientId.tsx',
    forms: ['care/vitals/VitalDialog.tsx'],
    async of({ make, clinics: [here] }, person, say) {
      const child = await make.patient({ date_of_birth: '2023-05-17', primary_clinic_id: here.id })
      const { id } = await make.vital({
        patient_id: child.id,
        timestamp: '2026-11-03T08:15:42.123Z',
        systolic_bp: 101,
        diastolic_bp: 61,
        bp_position: 'sitting',
        heart_rate: 101,
        pulse_rate: 102,
        respiratory_rate: 31,
        oxygen_saturation: 97.5,
        temperature_celsius: 37.833,
        weight_kg: 14.515,
        height_cm: 95.25,
        bmi: 16,
        waist_circumference_cm: 50.8,
        pain_level: 3,
        creatinine_umol_l: 44.2,
        head_circumference_cm: 48.26,
        arm_circumference_cm: 15.2,
        metadata: JSON.stringify({
          device: 'kept as it is',
          height_position: 'lying',
          entered: {
            temperature_celsius: { unit: '°F', value: 100.1 },
            weight_kg: { unit: 'lb', value: 32 },
            height_cm: { unit: 'in', value: 37.5 },
            waist_circumference_cm: { unit: 'in', value: 20 },
            creatinine_umol_l: { unit: 'mg/dL', value: 0.5 },
            head_circumference_cm: { unit: 'in', value: 19 },
            arm_circumference_cm: { unit: 'mm', value: 152 },
          },
        }),
      })
      const unit = (
        measure:
          | 'temperature_celsius'
          | 'weight_kg'
          | 'height_cm'
          | 'waist_circumference_cm'
          | 'head_circumference_cm'
          | 'arm_circumference_cm'
          | 'creatinine_umol_l',
        to: string,
      ) =>
        choose(say('vitals.unitOf', { measure: say(`vitals.${measure}`) }), to, {
          [`row.metadata.entered.${measure}.unit`]: undefined,
          [`row.metadata.entered.${measure}.value`]: undefined,
        })
      const value = (measure: Parameters<typeof vital>[0], typed: string, stored = Number(typed)) =>
        type(vital(measure), typed, { [`row.${measure}`]: stored })
      const vital = (
        measure:
          | 'systolic_bp'
          | 'diastolic_bp'
          | 'heart_rate'
          | 'pulse_rate'
          | 'respiratory_rate'
          | 'oxygen_saturation'
          | 'temperature_celsius'
          | 'weight_kg'
          | 'height_cm'
          | 'waist_circumference_cm'
          | 'head_circumference_cm'
          | 'arm_circumference_cm'
          | 'pain_level'
          | 'creatinine_umol_l',
      ) => say(`vitals.${measure}`)
      return {
        path: `/app/patients/${child.id}?tab=vitals`,
        rows: { row: { table: 'patient_vitals', where: { id } } },
        parts: [
          {
            open: fromMenu(person, '101', say('vitals.edit')),
            form: dialog(person),
            fields: [
              value('systolic_bp', '110'),
              value('diastolic_bp', '٦٥', 65),
              value('heart_rate', '99'),
              value('pulse_rate', '98'),
              value('respiratory_rate', '28'),
              value('oxygen_saturation', '98.5'),
              unit('temperature_celsius', say('vitals.unitC')),
              value('temperature_celsius', '38.2'),
              unit('weight_kg', say('vitals.unitKg')),
              value('weight_kg', '15.4'),
              unit('height_cm', say('vitals.unitCm')),
              value('height_cm', '96.5'),
              unit('waist_circumference_cm', say('vitals.unitCm')),
              value('waist_circumference_cm', '51.5'),
              unit('head_circumference_cm', say('vitals.unitCm')),
              value('head_circumference_cm', '49.5'),
              unit('arm_circumference_cm', say('vitals.unitCm')),
              value('arm_circumference_cm', '15.5'),
              value('pain_level', '4'),
              unit('creatinine_umol_l', say('vitals.unitMicromol')),
              value('creatinine_umol_l', '41.5'),
              choose(say('vitals.bp_position'), say('vitals.lying'), {
                'row.bp_position': 'lying',
              }),
              choose(say('vitals.height_position'), say('vitals.standing'), {
                'row.metadata.height_position': 'standing',
              }),
              type(say('form.time.label'), '01:05', {}),
              type(say('vitals.when'), '2026-11-04', {
                'row.timestamp': '2026-11-03T22:05:00+00:00',
              }),
            ],
            shown: { [vital('diastolic_bp')]: '65' },
          },
        ],
        save: submit(dialog(person)),
        also: { 'row.bmi': 16.54 },
        one: vital('diastolic_bp'),
      }
    },
  },
  {
    record: 'problem',
    route: 'patients/$patientId.tsx',
    forms: ['care/problems/ProblemDialog.tsx'],
    async of({ make }, person, say) {
      const { id, patient_id } = await make.problem({
        problem_code_system: 'snomed',
        problem_code: '195967001',
        problem_label: 'Asthma of childhood',
        severity_score: 2.5,
        onset_date: '2015-03-07T09:12:42.123Z',
        clinical_status: 'remission',
      })
      return {
        path: `/app/patients/${patient_id}?tab=problems`,
        rows: { row: { table: 'patient_problems', where: { id } } },
        parts: [
          {
            open: fromMenu(person, 'Asthma', say('common.edit')),
            form: dialog(person),
            fields: [
              type(say('problems.label'), 'ربو Asthma', { 'row.problem_label': 'ربو Asthma' }),
              choose(say('problems.system'), say('problems.icd11'), {
                'row.problem_code_system': 'icd11',
              }),
              type(say('problems.code'), 'CA23.0', { 'row.problem_code': 'CA23.0' }),
              choose(say('problems.clinicalStatus'), say('problems.resolved'), {
                'row.clinical_status': 'resolved',
              }),
              choose(say('problems.verificationStatus'), say('problems.unconfirmed'), {
                'row.verification_status': 'unconfirmed',
              }),
              type(say('problems.onset'), '2016-04-08', {
                'row.onset_date': '2016-04-07T21:00:00+00:00',
              }),
              type(say('problems.end'), '2026-04-09', {
                'row.end_date': '2026-04-08T21:00:00+00:00',
              }),
              choose(say('problems.laterality'), say('problems.side_left'), {
                'row.laterality': 'left',
              }),
              type(say('problems.severity'), '7', { 'row.severity_score': 7 }),
            ],
          },
        ],
        save: submit(dialog(person)),
        one: say('problems.onset'),
      }
    },
  },
  {
    record: 'enrollment in a program',
    route: 'patients/$patientId.tsx',
    forms: ['care/programs/EnrollmentDialog.tsx'],
    async of({ make, clinics: [here, there], language }, person, say) {
      const day = (ago: number) =>
        new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
      const { id, patient_id } = await make.enrollment({
        program: 'pregnancy',
        clinic_id: here.id,
        lmp: day(100),
        review_days: 30,
      })
      const program = programName('pregnancy', language)
      return {
        path: `/app/patients/${patient_id}`,
        rows: { row: { table: 'program_enrollments', where: { id } } },
        parts: [
          {
            async open() {
              const name = say('programs.actionsOf', { program })
              await person.page.getByRole('button', { name }).click()
              await person.page.getByRole('menuitem', { name: say('programs.edit') }).click()
            },
            form: dialog(person),
            fields: [
              choose(say('programs.clinic'), there.name, { 'row.clinic_id': there.id }),
              type(say('programs.enrolledOn'), day(50), { 'row.enrolled_on': day(50) }),
              type(say('programs.lmp'), day(110), { 'row.lmp': day(110) }),
              type(say('programs.reviewDays'), '60', { 'row.review_days': 60 }),
            ],
          },
        ],
        save: submit(dialog(person)),
        // the day and the clinic no longer follow the records
        also: { 'row.metadata.corrected': true },
        one: say('programs.enrolledOn'),
      }
    },
  },
  {
    record: 'who a patient is',
    route: 'patients/$patientId.tsx',
    forms: ['people/patients/EditPatient.tsx'],
    async of({ call, newId, language, baseLabel, clinics: [here] }, person, say) {
      const id = newId()
      const asked = (name: keyof typeof QUESTIONS) => translated(QUESTIONS[name].label, language)
      const option = (name: 'select' | 'checkbox', at: number) =>
        translated(QUESTIONS[name].options[at]!, language)
      const fields = {
        given_name: 'Layla',
        surname: 'Mansour',
        date_of_birth: '1990-05-17',
        sex: 'female',
        phone: '+962 79 123 4567',
        hometown: 'Irbid',
        citizenship: 'Jordanian',
        camp: 'Zaatari',
        government_id: `G-${id.slice(-8)}`,
        external_patient_id: `X-${id.slice(-8)}`,
      }
      await call('patients.create', {
        id,
        primary_clinic_id: here.id,
        ...fields,
        answers: {
          [QUESTIONS.text.id]: 'Baker',
          [QUESTIONS.number.id]: 4.5,
          [QUESTIONS.date.id]: '2014-02-01',
          [QUESTIONS.select.id]: 'A+',
          [QUESTIONS.checkbox.id]: ['Arabic'],
          [QUESTIONS.boolean.id]: true,
        },
      })
      const attribute = (name: keyof typeof QUESTIONS) => ({
        [name]: {
          table: 'patient_additional_attributes',
          where: { patient_id: id, attribute_id: QUESTIONS[name].id },
        },
      })
      const base = (column: keyof typeof fields, text: string) =>
        type(baseLabel(column), text, { [`patients.${column}`]: text })
      return {
        path: `/app/patients/${id}?tab=details`,
        rows: {
          patients: { table: 'patients', where: { id } },
          ...attribute('text'),
          ...attribute('number'),
          ...attribute('date'),
          ...attribute('select'),
          ...attribute('checkbox'),
          ...attribute('boolean'),
        },
        parts: [
          {
            open: () =>
              person.page
                .getByRole('tabpanel')
                .getByRole('button', { name: say('common.edit') })
                .click(),
            form: dialog(person),
            fields: [
              base('given_name', 'ليلى'),
              base('surname', 'Mansour-Saab'),
              type(baseLabel('date_of_birth'), '18/06/1991', {
                'patients.date_of_birth': '1991-06-18',
              }),
              choose(baseLabel('sex'), translated({ en: 'Male', ar: 'ذكر' }, language), {
                'patients.sex': 'male',
              }),
              base('phone', '03 123 456'),
              base('hometown', 'إربد'),
              base('citizenship', 'Syrian'),
              base('camp', 'Azraq'),
              base('government_id', `H-${id.slice(-8)}`),
              base('external_patient_id', `Y-${id.slice(-8)}`),
              choose(say('patients.language'), say('account.language_ar'), {
                'patients.language': 'ar',
              }),
              type(say('patients.died_on'), '2026-10-02', { 'patients.died_on': '2026-10-02' }),
              type(asked('text'), 'Tailor', { 'text.string_value': 'Tailor' }),
              type(asked('number'), '6', { 'number.number_value': 6 }),
              type(asked('date'), '2015-03-02', {
                'date.date_value': '2015-03-02T12:00:00+00:00',
                'date.metadata.day': '2015-03-02',
              }),
              choose(asked('select'), option('select', 1), { 'select.string_value': 'O-' }),
              pick(asked('checkbox'), [option('checkbox', 1)], {
                'checkbox.string_value': 'Arabic\u001fEnglish',
              }),
              choose(asked('boolean'), say('common.no'), { 'boolean.boolean_value': false }),
            ],
            shown: { [baseLabel('date_of_birth')]: '1991-06-18' },
          },
        ],
        save: submit(dialog(person)),
        one: asked('date'),
      }
    },
  },
  {
    record: 'answers to an event form',
    route: 'events/edit.{-$eventId}.tsx',
    forms: ['forms/events/filling/FillForm.tsx'],
    async of({ call, make, newId, language, clinics: [here] }, person, say) {
      const [formId, id, file] = [newId(), newId(), newId()]
      const patient = await make.patient({ primary_clinic_id: here.id })
      const visit = await make.visit({ patient_id: patient.id, clinic_id: here.id })
      await call('eventForms.save', {
        id: formId,
        ...EVENT_FORM,
        translations: EVENT_TRANSLATIONS,
        clinic_ids: [],
      })
      await call('eventFiles.save', {
        id: file,
        event_id: id,
        visit_id: visit.id,
        field_id: 'scan',
        name: 'first.pdf',
        content: Buffer.from('%PDF-1.7 first').toString('base64'),
      })
      const answers = {
        complaint: 'Cough\nsince Monday',
        word: 'dry',
        mail: 'a@clinic.example',
        weight: 61.5,
        smoker: 'yes',
        consent: 'ok',
        place: 'home',
        signs: ['cough'],
        since: '2026-01-05',
        dx: [{ code: 'J45.9', desc: 'Asthma' }],
        meds: [
          {
            id: 'm1',
            name: 'Salbutamol',
            dose: '100',
            doseUnits: 'mcg',
            form: 'inhaler',
            route: 'inhalation',
            frequency: '2',
            intervals: '8',
            duration: '5',
            durationUnits: 'days',
          },
        ],
        scan: [file],
      }
      await call('events.save', {
        id,
        patient_id: patient.id,
        visit_id: visit.id,
        form_id: formId,
        answers: Object.entries(answers).map(([fieldId, value]) => ({ fieldId, value })),
        allergies_reason: 'The patient does not answer',
      })
      const inArabic = (fieldId: string) =>
        EVENT_TRANSLATIONS.find((one) => one.fieldId === fieldId)!
      const asked = (fieldId: string, name: string) =>
        language === 'ar' ? inArabic(fieldId).name.ar : name
      const option = (fieldId: string, value: string, label: string) =>
        language === 'ar' ? inArabic(fieldId).options[`o-${value}`]!.ar : label
      const at = (fieldId: string, more = '') => `row.form_data.${fieldId}.value${more}`
      const part = (name: 'name' | 'dose' | 'frequency' | 'intervals' | 'duration', text: string) =>
        type(say(`answers.part_${name}`), text, { [at('meds', `.0.${name}`)]: text })
      const part_of = (
        name: 'doseUnits' | 'form' | 'route' | 'durationUnits',
        label: string,
        value: string,
      ) => choose(say(`answers.part_${name}`), label, { [at('meds', `.0.${name}`)]: value })
      return {
        path: `/app/events/edit/${id}`,
        rows: { row: { table: 'events', where: { id } } },
        parts: [
          {
            form: pageForm(person),
            fields: [
              type(asked('complaint', 'Complaint'), 'سعال', { [at('complaint')]: 'سعال' }),
              type(asked('word', 'In a word'), 'wet', { [at('word')]: 'wet' }),
              type(asked('mail', 'Mail'), 'b@clinic.example', { [at('mail')]: 'b@clinic.example' }),
              type(`${asked('weight', 'Weight')} (${say('vitals.unitKg')})`, '٦٢٫٥', {
                [at('weight')]: '62.5',
              }),
              choose(asked('smoker', 'Smoker'), option('smoker', 'no', 'No'), {
                [at('smoker')]: 'no',
              }),
              toggle(asked('consent', 'May be called'), {}),
              choose(asked('place', 'Place'), option('place', 'work', 'At work'), {
                [at('place')]: 'work',
              }),
              pick(asked('signs', 'Signs'), [option('signs', 'fever', 'Fever')], {
                [at('signs')]: 'cough; fever',
              }),
              type(asked('since', 'Ill since'), '2026-02-06', {
                [at('since')]: '2026-02-06T12:00:00.000Z',
              }),
              add(asked('dx', 'Diagnoses'), 'Tired', {
                [at('dx', '.1.code')]: '',
                [at('dx', '.1.desc')]: 'Tired',
              }),
              part('name', 'Ventolin'),
              part('dose', '200'),
              part_of('doseUnits', say('drugs.unit_mg'), 'mg'),
              part_of('form', say('drugs.form_tablet'), 'tablet'),
              part_of('route', say('drugs.route_oral'), 'oral'),
              part('frequency', '3'),
              part('intervals', '6'),
              part('duration', '2'),
              part_of('durationUnits', say('answers.unit_weeks'), 'weeks'),
              {
                label: asked('scan', 'Documents'),
                deed: { attach: 'second.pdf' },
                lands: { [at('scan', '.0')]: file, [at('scan', '.1')]: ANY_ID },
              },
            ],
            shown: { [`${asked('weight', 'Weight')} (${say('vitals.unitKg')})`]: '62.5' },
          },
        ],
        save: submit(pageForm(person)),
        one: asked('complaint', 'Complaint'),
      }
    },
  },
  {
    record: 'registration form',
    route: 'patients/customize-registration-form.tsx',
    forms: ['people/registration/FormEditor.tsx'],
    async of({ db, newId, language }, person, say) {
      const added = {
        ...QUESTIONS.select,
        id: newId(),
        column: `sector_${newId()}`,
        label: { en: 'Sector', ar: 'القطاع', es: 'Sector' },
        options: [
          { en: 'North', ar: 'الشمال', es: 'Norte' },
          { en: 'South', ar: 'الجنوب', es: 'Sur' },
        ],
      }
      const at = await addQuestion(db, added)
      const nameOf = (of: Language) =>
        new Intl.DisplayNames(language, { type: 'language' }).of(of) ?? ''
      const label = (of: Language, text: string) =>
        type(say('formEditor.labelIn', { language: nameOf(of) }), text, {
          [`row.fields.${at}.label.${of}`]: encodeURI(text),
        })
      const option = (number: 1 | 2, of: Language, text: string) =>
        type(say('formEditor.optionIn', { number, language: nameOf(of) }), text, {
          [`row.fields.${at}.options.${number - 1}.${of}`]: encodeURI(text),
        })
      const flag = (name: 'required' | 'visible' | 'showsInSummary' | 'isSearchField') =>
        toggle(say(`formEditor.${name}`), { [`row.fields.${at}.${name}`]: name !== 'visible' })
      const changed = { en: 'Camp sector', ar: 'قطاع المخيم', es: 'Sector del campo' }
      return {
        path: '/app/patients/customize-registration-form',
        rows: { row: { table: 'registration_forms', where: { is_deleted: false } } },
        parts: [
          {
            // a reload shows it by its new name
            open: () =>
              person.page
                .getByRole('main')
                .getByRole('listitem')
                .last()
                .getByRole('button', { expanded: false })
                .last()
                .click(),
            form: () =>
              person.page
                .getByRole('main')
                .getByRole('listitem')
                .filter({ has: person.page.getByRole('checkbox') })
                .last(),
            fields: [
              label('en', changed.en),
              label('ar', changed.ar),
              label('es', changed.es),
              choose(say('formEditor.type'), say('formEditor.type_checkbox'), {
                [`row.fields.${at}.fieldType`]: 'checkbox',
              }),
              flag('required'),
              flag('visible'),
              flag('showsInSummary'),
              flag('isSearchField'),
              option(1, 'en', 'Far north'),
              option(1, 'ar', 'أقصى الشمال'),
              option(1, 'es', 'Extremo norte'),
              option(2, 'en', 'Far south'),
              option(2, 'ar', 'أقصى الجنوب'),
              option(2, 'es', 'Extremo sur'),
            ],
          },
        ],
        save: () =>
          person.page.getByRole('button', { name: say('common.save'), exact: true }).click(),
        savesOnlyChanges: true,
        one: say('formEditor.labelIn', { language: nameOf('ar') }),
      }
    },
  },
  {
    record: 'event form',
    route: 'event-forms/edit/{-$formId}.tsx',
    forms: [],
    async of({ call, newId, language, clinics: [here] }, person, say) {
      const id = newId()
      await call('eventForms.save', {
        id,
        ...EVENT_FORM,
        translations: EVENT_TRANSLATIONS,
        clinic_ids: [],
      })
      const { page } = person
      const nameOf = (of: Language) =>
        new Intl.DisplayNames(language, { type: 'language' }).of(of) ?? ''
      const nameIn = (of: Language) => say('formBuilder.nameIn', { language: nameOf(of) })
      const descriptionIn = (of: Language) =>
        say('formBuilder.descriptionIn', { language: nameOf(of) })
      const list = () => page.getByRole('list', { name: say('eventForms.fields') })
      const line = (fieldId: string) =>
        list()
          .locator('> li')
          .nth(EVENT_FORM.form_fields.findIndex((one) => one.id === fieldId))
      const settings = () =>
        page.getByRole('heading', { name: say('formBuilder.aboutForm') }).locator('..')
      const at = (fieldId: string) =>
        `row.form_fields.${EVENT_FORM.form_fields.findIndex((one) => one.id === fieldId)}`
      const translation = (fieldId: string) => `row.translations.${fieldId}`
      /** One text in three languages; that of the form's own language stands among the translations, too. */
      const texts = (label: (of: Language) => string, own: string, path: string, text: string) => [
        type(label('en'), text, { [own]: text, [`${path}.en`]: text }),
        type(label('ar'), `${text} بالعربية`, { [`${path}.ar`]: `${text} بالعربية` }),
        type(label('es'), `${text} en español`, { [`${path}.es`]: `${text} en español` }),
      ]
      const card = (fieldId: string, fields: Field[], left: Record<string, string> = {}): Part => ({
        open: () => line(fieldId).getByRole('button', { expanded: false }).last().click(),
        form: () => line(fieldId),
        fields,
        left,
      })
      const names = (fieldId: string) => [
        ...texts(nameIn, `${at(fieldId)}.name`, `${translation(fieldId)}.name`, `New ${fieldId}`),
        ...texts(
          descriptionIn,
          `${at(fieldId)}.description`,
          `${translation(fieldId)}.description`,
          `About ${fieldId}`,
        ),
      ]
      const required = (fieldId: string) =>
        toggle(say('formBuilder.required'), { [`${at(fieldId)}.required`]: true })
      const elsewhere = (...labels: string[]) =>
        Object.fromEntries(
          labels.map((label) => [label, 'changed in another question of this form']),
        )
      const options = (fieldId: string, ...values: string[]) =>
        values.flatMap((value, place) => {
          const number = place + 1
          const label = (of: Language) =>
            say('formBuilder.optionIn', { number, language: nameOf(of) })
          const path = `${at(fieldId)}.options.${place}`
          const words = `${translation(fieldId)}.options.o-${value}`
          return [
            ...texts(label, `${path}.label`, words, `More ${value}`),
            type(say('formBuilder.optionValue', { number }), `${value}-2`, {
              [`${path}.value`]: `${value}-2`,
            }),
          ]
        })
      const showIf = say('formBuilder.showIf')
      const requiredIf = say('formBuilder.requiredIf')
      const refuseIf = say('formBuilder.refuseIf')
      const compute = say('formBuilder.compute')
      const rule = (fieldId: string, more: string) => `${at(fieldId)}.rules.${more}`
      const limit = (name: 'limits' | 'normal', side: 'min' | 'max', value: number) =>
        type(say(`formBuilder.${name}_${side}`), String(value), {
          [rule('weight', `${name}.${side}`)]: value,
        })
      const offered = (
        name: 'route' | 'form' | 'doseUnits' | 'durationUnits',
        label: string,
        value: string,
      ) =>
        pick(say(`formBuilder.medicine_${name}`), [label], {
          [`${at('meds')}.fields.${name}`]: undefined,
          [`${at('meds')}.fields.${name}.0`]: value,
        })
      const begun = (name: 'dose' | 'frequency' | 'intervals' | 'duration', text: string) =>
        type(say(`formBuilder.medicine_${name}`), text, { [`${at('meds')}.fields.${name}`]: text })
      return {
        path: `/app/event-forms/edit/${id}`,
        rows: { row: { table: 'event_forms', where: { id } } },
        parts: [
          {
            form: settings,
            fields: [
              ...texts(
                nameIn,
                'row.name',
                'row.translations.__form_name__.name',
                'Yearly check-up',
              ),
              ...texts(
                descriptionIn,
                'row.description',
                'row.translations.__form_description__.name',
                'In spring',
              ),
              pick(say('eventForms.clinics'), [here.name], {
                'row.clinic_ids': undefined,
                'row.clinic_ids.0': here.id,
              }),
              toggle(say('eventForms.is_editable'), { 'row.is_editable': false }),
              toggle(say('eventForms.is_snapshot_form'), { 'row.is_snapshot_form': true }),
            ],
            left: {
              [say('formBuilder.ownLanguage')]:
                'exchanges all texts: src/features/forms/event-forms/builder/form-draft.test.ts',
              [say('eventForms.everyClinic')]: 'says that no clinic is chosen',
            },
          },
          card(
            'word',
            [
              ...names('word'),
              choose(say('formBuilder.textType'), say('formBuilder.input_number'), {
                [`${at('word')}.inputType`]: 'number',
              }),
              required('word'),
              toggle(compute, {
                [rule('word', 'compute.fields')]: '[]',
                [rule('word', 'compute.formula')]: '',
                [rule('word', 'compute.days')]: 0,
                [rule('word', 'compute.decimals')]: 0,
              }),
              choose(say('formBuilder.function'), say('formBuilder.function_ageYears'), {
                [rule('word', 'compute.function')]: 'ageYears',
              }),
            ],
            elsewhere(
              showIf,
              requiredIf,
              refuseIf,
              say('formBuilder.unit'),
              say('formBuilder.vaccine'),
              say('formBuilder.vital'),
              say('formBuilder.normal_min'),
              say('formBuilder.normal_max'),
              say('formBuilder.whole'),
            ),
          ),
          card(
            'weight',
            [
              ...names('weight'),
              choose(say('formBuilder.unit'), 'lb', { [`${at('weight')}.units.0`]: 'lb' }),
              toggle(showIf, { [rule('weight', 'showIf.match')]: 'all' }),
              toggle(requiredIf, { [rule('weight', 'requiredIf.match')]: 'all' }),
              choose(say('formBuilder.question'), say('formBuilder.subject__age_years__'), {
                [rule('weight', 'showIf.tests.0.fieldId')]: '__age_years__',
              }),
              choose(say('formBuilder.comparison'), say('formBuilder.test_atLeast'), {
                [rule('weight', 'showIf.tests.0.comparison')]: 'atLeast',
              }),
              type(say('formBuilder.value'), '18', {
                [rule('weight', 'showIf.tests.0.value')]: 18,
              }),
              choose(`${say('formBuilder.question')} (2)`, say('formBuilder.subject__sex__'), {
                [rule('weight', 'requiredIf.tests.0.fieldId')]: '__sex__',
                [rule('weight', 'requiredIf.tests.0.comparison')]: 'is',
              }),
              choose(`${say('formBuilder.value')} (2)`, say('formBuilder.sex_female'), {
                [rule('weight', 'requiredIf.tests.0.value')]: 'female',
              }),
              toggle(say('formBuilder.whole'), { [rule('weight', 'whole')]: true }),
              limit('limits', 'min', 1.5),
              limit('limits', 'max', 300),
              limit('normal', 'min', 40),
              limit('normal', 'max', 120),
              choose(say('formBuilder.vital'), say('vitals.weight_kg'), {
                [rule('weight', 'vital')]: 'weight_kg',
              }),
            ],
            elsewhere(
              say('formBuilder.textType'),
              say('formBuilder.required'),
              compute,
              refuseIf,
              `${say('formBuilder.comparison')} (2)`,
            ),
          ),
          card(
            'smoker',
            [
              ...names('smoker'),
              choose(say('formBuilder.shownAs'), say('formBuilder.input_select'), {
                [`${at('smoker')}.inputType`]: 'select',
              }),
              ...options('smoker', 'yes', 'no'),
              required('smoker'),
              toggle(refuseIf, { [rule('smoker', 'refuseIf.match')]: 'all' }),
              choose(say('formBuilder.question'), say('formBuilder.subject__sex__'), {
                [rule('smoker', 'refuseIf.tests.0.fieldId')]: '__sex__',
                [rule('smoker', 'refuseIf.tests.0.comparison')]: 'is',
              }),
              choose(say('formBuilder.value'), say('formBuilder.sex_male'), {
                [rule('smoker', 'refuseIf.tests.0.value')]: 'male',
              }),
            ],
            elsewhere(showIf, requiredIf, say('formBuilder.comparison')),
          ),
          card(
            'place',
            [
              ...names('place'),
              choose(say('formBuilder.shownAs'), say('formBuilder.input_select'), {
                [`${at('place')}.inputType`]: 'select',
              }),
              toggle(say('formBuilder.multi'), { [`${at('place')}.multi`]: true }),
              ...options('place', 'home', 'work'),
              required('place'),
            ],
            elsewhere(
              showIf,
              requiredIf,
              refuseIf,
              say('formBuilder.vaccine'),
              // test/e2e/form-builder.test.ts chooses it
              say('formBuilder.exclusive'),
            ),
          ),
          card(
            'since',
            [
              ...names('since'),
              required('since'),
              choose(say('formBuilder.days'), say('formBuilder.days_past'), {
                [rule('since', 'days')]: 'past',
              }),
              choose(say('formBuilder.vaccine'), say('formBuilder.vaccineAll'), {
                [rule('since', 'vaccine')]: 'all',
              }),
            ],
            elsewhere(showIf, requiredIf, refuseIf, compute),
          ),
          card('dx', [...names('dx'), required('dx')], elsewhere(showIf, requiredIf, refuseIf)),
          card(
            'meds',
            [
              ...names('meds'),
              offered('route', say('drugs.route_oral'), 'oral'),
              offered('form', say('drugs.form_tablet'), 'tablet'),
              offered('doseUnits', say('drugs.unit_mg'), 'mg'),
              offered('durationUnits', say('answers.unit_days'), 'days'),
              begun('dose', '500'),
              begun('frequency', '3'),
              begun('intervals', '8'),
              begun('duration', '7'),
              required('meds'),
            ],
            elsewhere(showIf, requiredIf, refuseIf),
          ),
          card(
            'scan',
            [
              ...names('scan'),
              pick(say('formBuilder.mimeTypes'), ['PNG'], {
                [`${at('scan')}.allowedMimeTypes.0`]: 'image/png',
                [`${at('scan')}.allowedMimeTypes.1`]: 'application/pdf',
              }),
              type(say('formBuilder.minItems'), '1', { [`${at('scan')}.minItems`]: 1 }),
              type(say('formBuilder.maxItems'), '5', { [`${at('scan')}.maxItems`]: 5 }),
              required('scan'),
            ],
            elsewhere(showIf, requiredIf, refuseIf, say('formBuilder.multiple')),
          ),
          card(
            'head',
            [
              ...texts(
                (of) => say('formBuilder.contentIn', { language: nameOf(of) }),
                `${at('head')}.content`,
                `${translation('head')}.name`,
                'Rinse',
              ),
              choose(say('formBuilder.size'), say('formBuilder.size_lg'), {
                [`${at('head')}.size`]: 'lg',
              }),
              choose(say('formBuilder.urgency'), say('answers.urgency_urgent'), {
                [rule('head', 'urgency')]: 'urgent',
              }),
            ],
            elsewhere(showIf),
          ),
        ],
        save: () => page.getByRole('button', { name: say('common.save'), exact: true }).click(),
        savesOnlyChanges: true,
        // what is asked has changed
        also: { 'row.version': 2 },
        one: nameIn('ar'),
      }
    },
  },
  {
    record: 'account',
    route: 'account.tsx',
    forms: ['office/sessions/Profile.tsx'],
    async of({ db, me }, person, say) {
      await db
        .updateTable('users')
        .set({ name: 'Amal', theme: 'light' })
        .where('id', '=', me.id)
        .execute()
      const form = () => person.page.getByRole('region', { name: say('account.profile') })
      return {
        path: '/app/account',
        rows: { row: { table: 'users', where: { id: me.id } } },
        parts: [
          {
            form,
            fields: [
              choose(say('shell.theme'), say('shell.dark'), { 'row.theme': 'dark' }),
              type(say('sessions.name'), 'Amal الحسن', { 'row.name': 'Amal الحسن' }),
            ],
            left: { [say('shell.language')]: 'every label changes with it: test/e2e/first-day.ts' },
          },
        ],
        save: submit(form),
        one: say('sessions.name'),
      }
    },
  },
  {
    record: 'configurations',
    route: 'settings/configurations.tsx',
    forms: ['office/settings/ConfigurationsForm.tsx'],
    async of({ db }, person, say) {
      const empty = ['organization-name', 'public-origin', 'medical-record-system']
      await db.updateTable('app_config').set({ value: '' }).where('key', 'in', empty).execute()
      const unchecked = ['disable-mobile-permissions-checking', 'second-sign-in']
      await db
        .updateTable('app_config')
        .set({ value: 'false' })
        .where('key', 'in', unchecked)
        .execute()
      const form = () => person.page.getByRole('main')
      const setting = (key: string) => ({ [key]: { table: 'app_config', where: { key } } })
      return {
        path: '/app/settings/configurations',
        rows: {
          ...setting('organization-name'),
          ...setting('time-zone'),
          ...setting('public-origin'),
          ...setting('share-history'),
          ...setting('second-sign-in'),
          ...setting('operation_mode'),
          ...setting('disable-mobile-permissions-checking'),
          ...setting('access-log-months'),
          ...setting('medical-record-system'),
        },
        parts: [
          {
            form,
            fields: [
              type(say('settings.organizationName'), 'صحة التل Hillside', {
                'organization-name.value': 'صحة التل Hillside',
              }),
              choose(
                say('settings.timeZone'),
                'Asia/Beirut',
                { 'time-zone.value': 'Asia/Beirut' },
                'Beirut',
              ),
              type(say('settings.publicOrigin'), 'https://clinic.example:8443', {
                'public-origin.value': 'https://clinic.example:8443',
              }),
              choose(say('settings.shareHistory'), say('settings.share_organization'), {
                'share-history.value': 'organization',
              }),
              toggle(say('settings.secondSignIn'), { 'second-sign-in.value': 'true' }),
              choose(say('settings.operationMode'), say('settings.mode_offline'), {
                'operation_mode.value': 'offline',
              }),
              toggle(say('settings.disableChecking'), {
                'disable-mobile-permissions-checking.value': 'true',
              }),
              choose(say('settings.accessLogMonths'), say('settings.months_36'), {
                'access-log-months.value': '36',
              }),
              type(say('settings.medicalRecordSystem'), 'urn:oid:1.2.3', {
                'medical-record-system.value': 'urn:oid:1.2.3',
              }),
            ],
          },
        ],
        save: () => savesSettings(person, say),
        savesOnlyChanges: true,
        one: say('settings.organizationName'),
      }
    },
  },
]

/** Stands for an id that the browser makes. */
export const ANY_ID = 'any id'

/** Routes that change no record by a form of theirs, with what they are for. */
export const EDITS_NOTHING: Record<string, string> = {
  'index.tsx': 'the dashboard',
  'appointments/calendar.tsx': 'moves appointments by dragging: test/e2e/clinic-day.test.ts',
  'appointments/index.tsx': 'a list; statuses: test/e2e/clinic-day.test.ts',
  'audit.tsx': 'a list',
  'audit_.accesses.tsx': 'a list',
  'clinics/index.tsx': 'a list',
  'data/events/$formId.tsx': 'a list',
  'data/events/index.tsx': 'a list',
  'reports/index.tsx': 'a list',
  'reports/$code.tsx': 'enters values of a period, one by one: test/e2e/clinic-day.test.ts',
  'reports/charts.$code.tsx': 'charts',
  'reports/people.$code.tsx': 'a list',
  'reports/print.$code.tsx': 'to print',
  'dispensing/$prescriptionId.tsx':
    'adds dispensing records, which are never changed: test/e2e/stock.test.ts',
  'dispensing/index.tsx': 'a list',
  'dispensing/label.$prescriptionId.tsx': 'to print',
  'dispensing/paper.tsx': 'adds dispensing records, which are never changed',
  'event-forms/index.tsx':
    'a list; its switches: src/features/forms/event-forms/event-forms.test.ts',
  'event-forms/library.tsx': 'installs forms: test/e2e/form-builder.test.ts',
  'event-forms/versions.$formId.tsx': 'to read',
  'events/$eventId.tsx': 'to read',
  'follow-up/index.tsx': 'a list; calls: src/features/day/followups/followups.test.ts',
  'follow-up/letter.$messageId.tsx': 'to print',
  'follow-up/texts.tsx': 'a list; its dialog: src/features/day/followups/messages/messages.test.ts',
  'follow-up/schedules.tsx': 'a list; its dialog: src/features/day/followups/followups.test.ts',
  'help/{-$guide}.tsx': 'the guide',
  'inventory/clinic-inventory/bin-card.$drugId.tsx': 'to read',
  'inventory/clinic-inventory/count.tsx':
    'adds to the ledger, which is never changed: test/e2e/stock.test.ts',
  'inventory/clinic-inventory/index.tsx': 'a list',
  'inventory/clinic-inventory/ledger.tsx': 'a list',
  'inventory/clinic-inventory/shortfalls.tsx':
    'settles once: src/features/medicines/inventory/ledger/books.test.ts',
  'inventory/clinic-inventory/transfer.tsx':
    'adds to the ledger, which is never changed: test/e2e/stock.test.ts',
  'inventory/drug-catalogue/index.tsx': 'a list',
  'patients/access.tsx': 'a list; its decisions: src/features/record/sharing/sharing.test.ts',
  'patients/$patientId_.document.tsx':
    'takes lines over once: src/features/exchange/documents/documents.test.ts',
  'patients/index.tsx': 'a list',
  'patients/moved-in.tsx':
    'marks entries as done: src/features/exchange/imports/moved-in/moved-in.test.ts',
  'patients/merge.tsx': 'merges two records: src/features/people/patients/duplicates/merge.test.ts',
  'patients/seen.$patientId.tsx': 'a list',
  'patients/register.tsx': 'adds patients: test/e2e/registration.test.ts',
  'prescriptions/index.tsx': 'a list; statuses: test/e2e/prescriptions.test.ts',
  'prescriptions/overrides.tsx': 'reviews once: test/e2e/prescriptions.test.ts',
  'prescriptions/overrides-of-day.tsx': 'to print',
  'prescriptions/print.$prescriptionId.tsx': 'to print',
  'appointments/print.$appointmentId.tsx': 'to print',
  'patients/card.$patientId.tsx': 'to print',
  'patients/immunization-card.$patientId.tsx': 'to print',
  'referrals/index.tsx': 'a list; the reply: src/features/care/referrals/referrals.test.ts',
  'referrals/print.$referralId.tsx': 'to print',
  'registers.tsx': 'to print',
  'visits/laboratory.$visitId.tsx': 'to print',
  'visits/open.tsx': 'a list whose actions close visits; no form',
  'visits/print.$visitId.tsx': 'to print',
  'queue.tsx': 'statuses: test/e2e/clinic-day.test.ts',
  'reports/bindings.tsx':
    'a list; its dialog: src/features/reports/definitions/definitions.test.ts',
  'reports/definitions/index.tsx': 'a list',
  'reports/definitions/edit.{-$definitionId}.tsx':
    'one JSON, of which nothing is lost: definition-draft.test.ts; test/e2e/form-builder.test.ts',
  'reports/definitions/versions.$definitionId.tsx': 'to read',
  'reports/definitions/codes.$definitionId.tsx':
    'sends all codes as they were read: src/features/reports/exchange/exchange.test.ts',
  'settings/gateway.tsx':
    'a secret is never shown: src/features/day/followups/messages/sending.test.ts',
  'settings/dhis2.tsx': 'a secret is never shown: src/features/reports/exchange/exchange.test.ts',
  'settings/backups.tsx': 'a list; its second folder: src/features/office/backups/copies.test.ts',
  'settings/conflicts.tsx': 'settles once: test/e2e/devices.test.ts',
  'settings/imports.tsx': 'adds records: src/features/exchange/imports/imports.test.ts',
  'settings/phones.tsx': 'a list',
  'settings/quarantine.tsx': 'settles once: test/e2e/devices.test.ts',
  'settings/register-mobile-app.tsx': 'to print',
  'settings/rules.tsx':
    'a list; its switches: src/features/medicines/safety/switched-rules.test.ts',
  'trash.tsx': 'a list',
  'users/index.tsx': 'a list',
}

/** Forms that add something which is never changed, or that are about no record. */
export const FORMS_OF_NO_RECORD: Record<string, string> = {
  'record/sharing/EmergencyDialog.tsx': 'starts an access once',
  'reports/runs/sheet/ManualValue.tsx': 'one value of a period: test/e2e/clinic-day.test.ts',
  'record/sharing/EmergencySearch.tsx': 'searches',
  'people/patients/ReasonDialog.tsx': 'gives a reason once',
  'day/followups/CallDialog.tsx': 'adds a call, which is never changed',
  'day/followups/SchedulesTable.tsx':
    'sends all its values: src/features/day/followups/followups.test.ts',
  'care/pregnancies/PregnancyDialog.tsx': 'adds an answer, never changes one',
  'reports/exchange/ImportDataSet.tsx': 'adds a report',
  'reports/exchange/CodesForm.tsx':
    'sends all codes as they were read: src/features/reports/exchange/exchange.test.ts',
  'reports/exchange/ClinicCodesForm.tsx':
    'sends what was changed: src/features/reports/exchange/exchange.test.ts',
  'day/followups/messages/MessageTextsTable.tsx':
    'sends its one text: src/features/day/followups/messages/messages.test.ts',
  'day/followups/messages/GatewayForm.tsx':
    'a secret is never shown: src/features/day/followups/messages/sending.test.ts',
  'reports/exchange/Dhis2ServerForm.tsx':
    'a secret is never shown: src/features/reports/exchange/exchange.test.ts',
  'reports/definitions/BindingDialog.tsx':
    'sends all its values: src/features/reports/definitions/definitions.test.ts',
  'office/backups/Copies.tsx':
    'a folder of the server, whose row also holds the state of its copies',
  'office/devices/ConflictCard.tsx': 'settles a conflict once',
  'office/devices/RefusedRow.tsx': 'settles a refused row once',
  'medicines/dispensing/DispenseForm.tsx': 'adds dispensing records',
  'medicines/prescriptions/sets/SaveSetDialog.tsx': 'adds a set, which is not edited',
  'medicines/dispensing/PaperEntry.tsx': 'adds dispensing records',
  'medicines/dispensing/RecordsTable.tsx': 'adds a counter-entry',
  'exchange/imports/NewImport.tsx': 'starts an import',
  'medicines/inventory/changes/ReceiveDialog.tsx':
    'adds a receipt; the batch is corrected by BatchAction',
  'medicines/inventory/changes/SettleDialog.tsx': 'settles a shortfall once',
  'medicines/inventory/changes/StockTake.tsx': 'adds to the ledger',
  'medicines/inventory/changes/TransferSheet.tsx': 'adds to the ledger',
  'people/patients/RegisterPatient.tsx': 'adds a patient',
  'medicines/safety/OverridesTable.tsx': 'reviews an override once',
  'medicines/safety/second/SecondSignIn.tsx':
    'checks a sign-in and keeps nothing: src/features/medicines/safety/second/second-person.test.ts',
  'medicines/safety/SwitchRuleDialog.tsx':
    'a reason for one act: src/features/medicines/safety/switched-rules.test.ts',
  'office/sessions/passwords/ChangePassword.tsx':
    'a password is never shown: src/features/office/sessions/account.test.ts',
  'office/sessions/EndSession.tsx':
    'a password is never shown: src/features/office/sessions/sessions.test.ts',
  'office/sessions/app-passwords/AppPasswordDialog.tsx':
    'a password is shown once: test/e2e/devices.test.ts',
  'office/sessions/app-passwords/AppPasswords.tsx':
    'renames a phone: test/sync/app-passwords.test.ts',
  'office/backups/DownloadBackup.tsx':
    'a password is never shown: src/features/office/backups/backups.test.ts',
  'office/sessions/setup/Restored.tsx': 'after a restore: test/commands/backup.test.ts',
  'office/sessions/setup/Setup.tsx': 'the first start',
  'office/sessions/two-factor/TwoFactor.tsx':
    'a secret is never shown: src/features/office/sessions/two-factor/two-factor.test.ts',
  'office/sessions/Unlock.tsx': 'signs in',
  'office/sessions/sign-in/SignInPage.tsx': 'signs in',
  'office/users/ResetPasswordDialog.tsx':
    'a password is never shown: src/features/office/users/users.test.ts',
}
