import type { DrugClass } from './drug-classes'
import type { Effect, Interaction } from './interactions'
import { RULE_KINDS, type RuleWarning } from './rule'

/** What a check knew of the patient's allergies, for the sentence that says what was compared. */
export type AllergyScope =
  | { state: 'not_asked' }
  | { state: 'none_known'; at: Date; by: string | null }
  | { state: 'recorded'; count: number }

type About = {
  /** The same warning has the same key tomorrow: an override refers to it. */
  key: string
  drugId: string
  drug: string
}
export type Warning =
  | (About & {
      kind: 'allergy'
      ingredient: string
      substance: string
      reaction: string | null
      severity: string | null
      /** The substance itself, another of its class, or one of a class that is alike. */
      match: 'same' | 'class' | 'related'
      drugClass: DrugClass | null
    })
  | (About & {
      kind: 'duplicate'
      ingredient: string
      other: string
      /** One of the two was only written down in a form: probably the same medicine, named twice. */
      isRecord?: boolean
    })
  | (About & {
      kind: 'interaction'
      ingredient: string
      otherIngredient: string
      other: string
      rule: Interaction['id']
      effect: Effect
    })
  /**
   * What could not be checked: a medicine of which the catalogue names no ingredient, an ingredient that the rules do not
   * know, or an allergy that they do not know (then `drugId` is the first medicine of the check).
   */
  | (About & { kind: 'unchecked'; ingredient?: string; allergy?: string })
  | RuleWarning
export type WarningKind = Warning['kind']
export const WARNING_KINDS = [
  'allergy',
  'interaction',
  ...RULE_KINDS,
  'duplicate',
  'unchecked',
] as const satisfies WarningKind[]

/** Whether a warning comes from a table of rules and carries its own sentences. */
export const isOfRule = (warning: Warning): warning is RuleWarning => 'level' in warning

/**
 * Unknown ingredients and allergies are said at every check but ask for no reason: half a catalogue can have names that
 * the rules do not know, and a reason typed each time teaches people to type "ok".
 */
export const asksReason = (warning: Warning) =>
  isOfRule(warning)
    ? warning.level !== 'caution'
    : warning.kind === 'unchecked'
      ? warning.ingredient === undefined && warning.allergy === undefined
      : !(warning.kind === 'duplicate' && warning.isRecord)

/** Whether a warning is about one of these medicines; an allergy that cannot be checked is about all of them. */
export const isAbout = (warning: Warning, drugIds: readonly string[]) =>
  (warning.kind === 'unchecked' && warning.allergy !== undefined) || drugIds.some((id) => warning.key.includes(id))
