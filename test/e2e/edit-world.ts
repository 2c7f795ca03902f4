import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import type { RegistrationField } from '~/features/people/registration/registration-form'
import { firstForm } from '~/features/people/registration/registration-forms.server'
import { encodeFields } from '~/features/people/registration/stored-fields'
import type { QuestionType } from '~/forms/question'
import { newId } from '~/shared/id'
import { type Language, type Translated, translated } from '~/shared/language'
import { PERMISSIONS } from '~/shared/permissions'
import { makeFactories } from '../factories'
import type { administrator } from './browser'

/** What the clinic asks beside the base fields: one question of each type, named by its type. */
const question = (
  type: QuestionType,
  at: number,
  label: Translated,
  options: Translated[] = [],
) => ({
  id: `0190aaaa-0000-7000-8000-00000000000${at}`,
  column: `asked_${type}`,
  label,
  fieldType: type,
  options,
  required: false,
  baseField: false,
  visible: true,
  deleted: false,
  showsInSummary: false,
  isSearchField: false,
})
export const QUESTIONS = {
  text: question('text', 1, { en: 'Occupation', ar: 'المهنة', es: 'Ocupación' }),
  number: question('number', 2, {
    en: 'Household size',
    ar: 'عدد أفراد الأسرة',
    es: 'Tamaño del hogar',
  }),
  date: question('date', 3, { en: 'Arrived on', ar: 'تاريخ الوصول', es: 'Llegó el' }),
  select: question('select', 4, { en: 'Blood group', ar: 'فصيلة الدم', es: 'Grupo sanguíneo' }, [
    { en: 'A+', ar: 'A+', es: 'A+' },
    { en: 'O-', ar: 'O-', es: 'O-' },
  ]),
  checkbox: question('checkbox', 5, { en: 'Speaks', ar: 'يتحدث', es: 'Habla' }, [
    { en: 'Arabic', ar: 'العربية', es: 'Árabe' },
    { en: 'English', ar: 'الإنجليزية', es: 'Inglés' },
  ]),
  boolean: question('boolean', 6, { en: 'Has a phone', ar: 'لديه هاتف', es: 'Tiene teléfono' }),
} satisfies Partial<Record<QuestionType, unknown>>

const option = (value: string, label: string) => ({ id: `o-${value}`, value, label })
const asked = (id: string, name: string, more: object) => ({
  id,
  name,
  description: '',
  required: false,
  ...more,
})
const aText = { fieldType: 'free-text', inputType: 'text', length: 'short' }

/** An event form with a question of every kind. */
export const EVENT_FORM = {
  name: 'Check-up',
  description: 'Once a year',
  language: 'en' as const,
  is_editable: true,
  is_snapshot_form: false,
  form_fields: [
    asked('complaint', 'Complaint', {
      fieldType: 'free-text',
      inputType: 'textarea',
      length: 'long',
      required: true,
    }),
    asked('word', 'In a word', aText),
    asked('mail', 'Mail', { ...aText, inputType: 'email' }),
    asked('weight', 'Weight', { ...aText, inputType: 'number', units: ['kg'] }),
    asked('smoker', 'Smoker', {
      fieldType: 'binary',
      inputType: 'radio',
      options: [option('yes', 'Yes'), option('no', 'No')],
    }),
    asked('consent', 'May be called', {
      fieldType: 'binary',
      inputType: 'checkbox',
      options: [option('ok', 'Agreed')],
    }),
    asked('place', 'Place', {
      fieldType: 'options',
      inputType: 'dropdown',
      multi: false,
      options: [option('home', 'At home'), option('work', 'At work')],
    }),
    asked('signs', 'Signs', {
      fieldType: 'options',
      inputType: 'select',
      multi: true,
      options: [option('cough', 'Cough'), option('fever', 'Fever')],
    }),
    asked('since', 'Ill since', { fieldType: 'date', inputType: 'date' }),
    asked('dx', 'Diagnoses', { fieldType: 'diagnosis', inputType: 'select', options: [] }),
    asked('meds', 'Medicines', {
      fieldType: 'medicine',
      inputType: 'input-group',
      options: [],
      fields: {
        name: '',
        route: [],
        form: [],
        frequency: '',
        intervals: '',
        dose: '',
        doseUnits: [],
        duration: '',
        durationUnits: [],
      },
    }),
    asked('scan', 'Documents', {
      fieldType: 'file',
      inputType: 'file',
      allowedMimeTypes: ['application/pdf'],
      multiple: true,
      minItems: 0,
      maxItems: 3,
    }),
    {
      ...asked('head', '', {
        fieldType: 'text',
        content: 'Remember to wash your hands',
        size: 'md',
      }),
    },
  ],
}
const inArabic = (fieldId: string, name: string, options: Record<string, string> = {}) => ({
  fieldId,
  name: { ar: name },
  description: {},
  options: Object.fromEntries(
    Object.entries(options).map(([value, label]) => [`o-${value}`, { ar: label }]),
  ),
})
export const EVENT_TRANSLATIONS = [
  inArabic('__form_name__', 'فحص عام'),
  inArabic('__form_description__', 'مرة في السنة'),
  inArabic('complaint', 'الشكوى'),
  inArabic('word', 'بكلمة'),
  inArabic('mail', 'البريد'),
  inArabic('weight', 'الوزن'),
  inArabic('smoker', 'مدخن', { yes: 'نعم', no: 'لا' }),
  inArabic('consent', 'يمكن الاتصال به', { ok: 'موافق' }),
  inArabic('place', 'المكان', { home: 'في البيت', work: 'في العمل' }),
  inArabic('signs', 'العلامات', { cough: 'سعال', fever: 'حمى' }),
  inArabic('since', 'مريض منذ'),
  inArabic('dx', 'التشخيصات'),
  inArabic('meds', 'الأدوية'),
  inArabic('scan', 'المستندات'),
  inArabic('head', 'اغسل يديك'),
]

/**
 * Two clinics with departments, two providers who may do everything there, and a registration form
 * that asks everything.
 */
export async function makeWorld(
  db: Kysely<DB>,
  call: Awaited<ReturnType<typeof administrator>>,
  language: Language,
) {
  const make = makeFactories(db)
  // each try has its own
  const mark = newId().slice(-6)
  const clinics = [
    await make.clinic({ name: `Riverside ${mark}` }),
    await make.clinic({ name: `Lakeside ${mark}` }),
  ] as const
  const department = (at: 0 | 1, name: string) =>
    make.department({ clinic_id: clinics[at].id, name })
  const departments = {
    here: [await department(0, 'General medicine'), await department(0, 'Laboratory')] as const,
    there: [await department(1, 'Pharmacy'), await department(1, 'Imaging')] as const,
  }
  const provider = async (name: string) => {
    const user = await make.user({ name, clinic_id: clinics[0].id, role: 'provider' })
    for (const { id } of clinics) await make.permission(user, id, PERMISSIONS)
    return user
  }
  const providers = [await provider(`Nadia ${mark}`), await provider(`Omar ${mark}`)] as const
  const asked = await asksOnly(db, Object.values(QUESTIONS))
  await setTimeZone(db, call)
  const me = await db
    .selectFrom('users')
    .selectAll()
    .where('role', '=', 'super_admin')
    .executeTakeFirstOrThrow()
  /** What a base field is called on the form. */
  const baseLabel = (column: string) =>
    translated(asked.find((one) => one.column === column)?.label ?? {}, language)
  return { db, make, mark, baseLabel, call, language, clinics, departments, providers, me, newId }
}

type Question = Omit<RegistrationField, 'position'>

/** The base fields and these questions, whatever an earlier try added. */
async function asksOnly(db: Kysely<DB>, questions: readonly Question[]) {
  // with the fields that a form has which was stored before them
  const { id, fields } = await firstForm(db)
  const asked = [...fields.filter(({ baseField }) => baseField), ...questions]
  await db
    .updateTable('registration_forms')
    .set({ fields: JSON.stringify(encodeFields(asked)) })
    .where('id', '=', id)
    .execute()
  return asked
}

/** Asks one question more, at the end; answers with its place. */
export const addQuestion = async (db: Kysely<DB>, added: Question) =>
  (await asksOnly(db, [...Object.values(QUESTIONS), added])).length - 1

/** Not the zone of the machine, so that a day or an hour that is read in the wrong one is noticed. */
async function setTimeZone(db: Kysely<DB>, call: Awaited<ReturnType<typeof administrator>>) {
  const { id, last_modified } = await db
    .selectFrom('app_config')
    .select(['id', 'last_modified'])
    .where('key', '=', 'time-zone')
    .executeTakeFirstOrThrow()
  await call('configurations.save', { id, last_modified, value: 'Asia/Amman' })
}

export type World = Awaited<ReturnType<typeof makeWorld>>
