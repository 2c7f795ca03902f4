import { useLocale } from 'use-intl'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { isOfRule, type Warning } from './warning'

/** What speaks against a medicine, in the reader's language: which, why, and what can happen. */
export function useWarningText() {
  const say = useSay()
  const language = useLocale().slice(0, 2) as Language
  const uncheckedText = ({ drug, ingredient, allergy }: Warning & { kind: 'unchecked' }) => {
    if (allergy !== undefined) return say({ key: 'safety.uncheckedAllergy', values: { substance: allergy } })
    return ingredient === undefined
      ? say({ key: 'safety.unchecked', values: { drug } })
      : say({ key: 'safety.uncheckedIngredient', values: { drug, ingredient } })
  }
  return (warning: Warning): string => {
    if (isOfRule(warning)) return `${warning.text[language]} ${warning.todo[language]}`
    switch (warning.kind) {
      case 'allergy': {
        const { match, drug, ingredient, substance, drugClass, reaction } = warning
        const values = {
          drug,
          ingredient,
          substance,
          drugClass: drugClass ? say(`safety.classes.${drugClass}`) : '',
        }
        const key = {
          same: 'safety.allergySame',
          class: 'safety.allergyClass',
          related: 'safety.allergyRelated',
        } as const
        const told = say({ key: key[match], values })
        return reaction ? `${told} ${say({ key: 'safety.reactionWas', values: { reaction } })}` : told
      }
      case 'duplicate': {
        const { drug, other, ingredient } = warning
        return say({ key: 'safety.duplicate', values: { drug, other, ingredient } })
      }
      case 'interaction': {
        const { drug, other, ingredient, otherIngredient, effect } = warning
        const told = say({ key: 'safety.interaction', values: { drug, other, ingredient, otherIngredient } })
        return `${told} ${say(`safety.effect.${effect}`)}`
      }
      case 'unchecked':
        return uncheckedText(warning)
    }
  }
}
