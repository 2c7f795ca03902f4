import type { CheckedDrug } from '~/features/medicines/safety/rules/rule'
import {
  type KnownAllergy,
  findWarnings as allWarningsOf,
} from '~/features/medicines/safety/warnings'

/** Reminders to monitor have a test of their own. */
export const warningsOf = (...args: Parameters<typeof allWarningsOf>) =>
  allWarningsOf(...args).filter(({ kind }) => kind !== 'monitoring')

export const drug = (name: string, ...ingredients: string[]): CheckedDrug => ({
  drugId: name,
  name,
  ingredients,
})
export const given = (ingredient: string, route: string, form = 'tablet'): CheckedDrug => ({
  drugId: `${ingredient} ${route}`,
  name: ingredient,
  ingredients: [ingredient],
  route,
  form,
})
export const allergy = (
  substance: string,
  kind = 'ingredient',
  code: string | null = substance,
): KnownAllergy => ({
  id: substance,
  substance,
  substance_kind: kind,
  substance_code: code,
  reaction: 'rash',
  severity: 'mild',
})
export const kindsOf = (...args: Parameters<typeof warningsOf>) =>
  warningsOf(...args).map(({ kind }) => kind)
