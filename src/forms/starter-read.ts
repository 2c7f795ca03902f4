import type { Definition } from './checked-definition'
import {
  type EventFieldOfType,
  FORM_TEXTS,
  type EventFormField,
  type Translation,
} from './definition'
import type {
  ComparisonOperator,
  Condition,
  Limits,
  Rules,
  Test,
  NoteUrgency,
} from './definition-rules'
import { allMedicineParts, MIME_TYPES } from './field-kinds'
import type {
  WrittenCondition,
  NamedCondition,
  NoteOf,
  OptionOf,
  QuestionOf,
  SharedFile,
  StarterFile,
  UseOf,
  StarterText,
} from './starter-file'

/** The answer that holds a concept of reports. `fieldId` null: the filled-in form itself; `option` null: any answer. */
type StarterConcept = {
  concept: string
  fieldId: string | null
  option: string | null
  when: { fieldId: string; option: string } | null
}
export type Starter = { key: string; form: Definition; concepts: readonly StarterConcept[] }

/** The form of a file. Its own language is English; every text is translated, English included. */
export function readStarter(file: StarterFile, shared: SharedFile): Starter {
  const { key, name, description, concept } = file
  const names: Names = {
    fields: new Map(Object.entries(shared.fields)),
    lists: new Map(Object.entries({ ...shared.lists, ...file.lists })),
    conditions: new Map(Object.entries({ ...shared.conditions, ...file.conditions })),
  }
  const fields = file.fields.flatMap((field) => shareable(field, names))
  const parts = fields.map((field) =>
    'text' in field ? notePart(field, names) : questionPart(field, names),
  )
  return {
    key,
    concepts: [
      ...(concept ? [{ concept, fieldId: null, option: null, when: null }] : []),
      ...fields.flatMap((field) => ('text' in field ? [] : questionConcepts(field, names))),
    ],
    form: {
      name: name.en,
      description: description.en,
      language: 'en',
      form_fields: parts.map(({ field }) => field),
      translations: [
        buildTranslation(FORM_TEXTS.name, name),
        buildTranslation(FORM_TEXTS.description, description),
        ...parts.map(({ translation }) => translation),
      ],
    },
  }
}

type Names = {
  fields: ReadonlyMap<string, readonly (QuestionOf | NoteOf)[]>
  lists: ReadonlyMap<string, readonly OptionOf[]>
  conditions: ReadonlyMap<string, NamedCondition>
}
type Part = { field: EventFormField; translation: Translation }

function named<Value>(values: ReadonlyMap<string, Value>, name: string): Value {
  const value = values.get(name)
  if (value === undefined) throw new Error(`A starter form uses ${name}, which no file defines.`)
  return value
}

function shareable(field: QuestionOf | NoteOf | UseOf, { fields }: Names) {
  if (!('use' in field)) return [field]
  const { use, ...changed } = field
  return named(fields, use).map((one) => ({ ...one, ...changed }))
}

function questionConcepts(question: QuestionOf, names: Names): StarterConcept[] {
  const { id: fieldId, concepts = [] } = question
  const ofOptions = questionOptions(question, names).flatMap(({ value, concept }) =>
    concept ? [{ concept, fieldId, option: value, when: null }] : [],
  )
  const ofAnswers = concepts.map(({ concept, option = null, when }) => ({
    concept,
    fieldId,
    option,
    when: when ? { fieldId: when[0], option: when[1] } : null,
  }))
  return [...ofAnswers, ...ofOptions]
}

const buildTranslation = (fieldId: string, name: StarterText, hint?: StarterText): Translation => ({
  fieldId,
  name,
  description: hint ?? {},
  options: {},
})

function notePart({ id, type, text, showIf }: NoteOf, names: Names): Part {
  const urgency = type === 'heading' || type === 'note' ? undefined : type
  return {
    field: {
      ...commonFieldParts({ id, showIf, urgency }, names),
      fieldType: 'text',
      content: text.en,
      size: type === 'heading' ? 'lg' : 'md',
    },
    translation: buildTranslation(id, text),
  }
}

function questionPart(question: QuestionOf, names: Names): Part {
  const { id, name, hint } = question
  const options = questionOptions(question, names)
  const kind = fieldKind(question, options)
  return {
    field: { ...commonFieldParts(question, names), name: name.en, ...kind },
    translation: {
      ...buildTranslation(id, name, hint),
      options: Object.fromEntries(options.map(({ value, en, ar, es }) => [value, { en, ar, es }])),
    },
  }
}

const YES_NO: readonly OptionOf[] = [
  { value: 'yes', en: 'Yes', ar: 'نعم', es: 'Sí' },
  { value: 'no', en: 'No', ar: 'لا', es: 'No' },
]

function questionOptions(
  { type, options = [] }: QuestionOf,
  { lists }: Names,
): readonly OptionOf[] {
  if (type === 'yesNo') return YES_NO
  return typeof options === 'string' ? named(lists, options) : options
}

type Basis = 'id' | 'name' | 'description' | 'required' | 'rules'
type Kind = {
  [K in EventFormField['fieldType']]: Omit<EventFieldOfType<K>, Basis>
}[EventFormField['fieldType']]

/** What the type of a question says about its field. */
function fieldKind({ type, unit }: QuestionOf, listed: readonly OptionOf[]): Kind {
  const options = listed.map(({ value, en }) => ({ id: value, label: en, value }))
  switch (type) {
    case 'text':
      return { fieldType: 'free-text', inputType: 'text', length: 'short' }
    case 'longText':
      return { fieldType: 'free-text', inputType: 'textarea', length: 'long' }
    case 'number': {
      const units = unit ? { units: [unit] } : {}
      return { fieldType: 'free-text', inputType: 'number', length: 'short', ...units }
    }
    case 'day':
      return { fieldType: 'date', inputType: 'date' }
    case 'choice': {
      const inputType = listed.length > 5 ? 'select' : 'radio'
      return { fieldType: 'options', inputType, multi: false, options }
    }
    case 'choices':
      return { fieldType: 'options', inputType: 'select', multi: true, options }
    case 'yesNo':
      return { fieldType: 'binary', inputType: 'radio', options }
    case 'diagnosis':
      return { fieldType: 'diagnosis', inputType: 'select', options }
    case 'medicines':
      return {
        fieldType: 'medicine',
        inputType: 'input-group',
        options,
        fields: allMedicineParts(),
      }
    case 'files': {
      const count = { multiple: true, minItems: 0, maxItems: 5 }
      return {
        fieldType: 'file',
        inputType: 'file',
        allowedMimeTypes: [...MIME_TYPES],
        ...count,
      }
    }
  }
}

type Ruled = Pick<QuestionOf, 'id'> & Partial<QuestionOf> & { urgency?: NoteUrgency }

/** What fields of every kind have: the id, the texts and the rules. */
function commonFieldParts({ id, hint, required = false, ...field }: Ruled, names: Names) {
  const rules = buildRules(field, names)
  const isRuled = Object.keys(rules).length > 0
  return { id, name: '', description: hint?.en ?? '', required, ...(isRuled && { rules }) }
}

function buildRules(field: Omit<Ruled, 'id'>, names: Names): Rules {
  const { showIf, requiredIf, refuseIf, compute, limits, normal, days, urgency, vital, vaccine } =
    field
  const { whole, exclusive } = field
  const both = (given: Partial<Limits>): Limits => ({ min: null, max: null, ...given })
  return {
    ...(showIf && { showIf: parseCondition(showIf, names) }),
    ...(requiredIf && { requiredIf: parseCondition(requiredIf, names) }),
    ...(refuseIf && { refuseIf: parseCondition(refuseIf, names) }),
    ...(urgency && { urgency }),
    ...(days && { days }),
    ...(whole && { whole }),
    // the id of an option is its value
    ...(exclusive && { exclusive: [...exclusive] }),
    ...(vital && { vital }),
    ...(vaccine && { vaccine }),
    ...(compute && { compute: { fields: [], formula: '', days: 0, decimals: 0, ...compute } }),
    ...(limits && { limits: both(limits) }),
    ...(normal && { normal: both(normal) }),
  }
}

function parseCondition(written: WrittenCondition, names: Names): Condition {
  if (typeof written === 'string')
    return parseCondition(named(names.conditions, written).when, names)
  if (isTest(written)) return parseTest(written)
  const parts = (conditions: readonly WrittenCondition[]) =>
    conditions.map((condition) => parseCondition(condition, names))
  if ('allOf' in written) return { match: 'all', ...merged(parts(written.allOf), 'all') }
  if ('anyOf' in written) return { match: 'any', ...merged(parts(written.anyOf), 'any') }
  // "none of (any of a, b)" is "none of a, b"
  if ('noneOf' in written) return { match: 'none', ...merged(parts(written.noneOf), 'any') }
  return { match: 'atLeast', least: written.atLeast, ...merged(parts(written.of)) }
}

const isTest = (written: WrittenCondition): written is readonly (string | number)[] =>
  Array.isArray(written)

function parseTest([fieldId, comparison, ...values]: readonly (string | number)[]): Condition {
  const test = (name: ComparisonOperator, value: Test['value']) => ({
    fieldId: String(fieldId),
    comparison: name,
    value,
  })
  return comparison === 'oneOf'
    ? { match: 'any', tests: values.map((value) => test('is', value)) }
    : { match: 'all', tests: [test(comparison as ComparisonOperator, values[0] ?? null)] }
}

/** Single tests, and the parts of a condition that matches alike, without a group of their own. */
function merged(
  conditions: readonly Condition[],
  alike?: Condition['match'],
): Pick<Condition, 'tests' | 'groups'> {
  const isInline = ({ match, tests, groups }: Condition) =>
    match === alike || (match !== 'none' && tests.length === 1 && !groups)
  const groups = conditions.flatMap((condition) =>
    isInline(condition) ? (condition.groups ?? []) : [condition],
  )
  return {
    tests: conditions.filter(isInline).flatMap(({ tests }) => tests),
    ...(groups.length > 0 && { groups }),
  }
}
