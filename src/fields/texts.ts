import type { Language } from '~/shared/language'
import type { Sayable } from '~/shared/say'
import { sentence } from '~/shared/sentence'
import type { FieldKind, Fields } from './field'
import { fieldKinds } from './kinds'

const COLUMN_KINDS: Partial<Record<FieldKind, 'day' | 'number'>> = { date: 'day', number: 'number' }

/** The columns of a file: labels, what they hold of the fields, and the texts of a row's values, in one language. */
export function fieldTexts(language: Language, fields: Fields) {
  const say = (what: Sayable) => {
    if (typeof what === 'string') return sentence(language, { key: what })
    return 'text' in what ? what.text : sentence(language, what)
  }
  const named = Object.entries(fields)
  return {
    say,
    labels: named.map(([, { label }]) => say(label)),
    kinds: named.map(([, { kind }]) => COLUMN_KINDS[kind] ?? ('text' as const)),
    textsOf: (values: object) => {
      const byName = new Map<string, unknown>(Object.entries(values))
      return named.map(([name, field]) =>
        fieldKinds[field.kind].toText(byName.get(name) ?? null, field, say),
      )
    },
  }
}
