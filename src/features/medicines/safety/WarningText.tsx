import { Text } from '@mantine/core'
import { useFormatter } from 'use-intl'
import { useSay, useLanguage } from '~/shared/say'
import type { PublishedSource } from './rules/rule'
import { isOfRule, type OldWarning, type Warning } from './rules/warning'
import { SourceLink } from './sources/SourceLink'
import { isolated } from '~/shared/isolated'

/** Names in a sentence, each isolated so that its script does not turn the sentence around. */
export const quotedList = (
  format: Pick<ReturnType<typeof useFormatter>, 'list'>,
  names: readonly string[],
) => format.list(names.map(isolated), { type: 'conjunction' })

/** What speaks against a medicine, in the reader's language: which, and why. `WarningText` says what to do. */
export function useWarningText() {
  const say = useSay()
  const language = useLanguage()
  const format = useFormatter()
  const uncheckedText = (warning: Warning & { kind: 'unchecked' }) => {
    const { drug, ingredient, allergy, parts, saysNone } = warning
    if (allergy !== undefined && saysNone)
      return say({ key: 'safety.allergySaysNone', values: { substance: allergy } })
    if (allergy !== undefined && parts)
      return say({
        key: 'safety.uncheckedAllergyPart',
        values: { substance: allergy, parts: quotedList(format, parts) },
      })
    if (allergy !== undefined)
      return say({ key: 'safety.uncheckedAllergy', values: { substance: allergy } })
    return ingredient === undefined
      ? say({ key: 'safety.unchecked', values: { drug } })
      : say({ key: 'safety.uncheckedIngredient', values: { drug, ingredient } })
  }
  return (warning: Warning | OldWarning): string => {
    if (isOfRule(warning)) return warning.text[language]
    switch (warning.kind) {
      case 'allergy': {
        const { match, drug, ingredient, substance, drugClass, reaction, why } = warning
        const values = {
          drug,
          ingredient,
          substance,
          drugClass: drugClass ? say(`safety.classes.${drugClass}`) : substance,
        }
        const key = {
          same: 'safety.allergySame',
          class: 'safety.allergyClass',
          related: 'safety.allergyRelated',
        } as const
        return [
          say({ key: key[match], values }),
          why?.[language],
          reaction && say({ key: 'safety.reactionWas', values: { reaction } }),
        ]
          .filter(Boolean)
          .join(' ')
      }
      case 'duplicate': {
        const { drug, other, ingredient } = warning
        return say({ key: 'safety.duplicate', values: { drug, other, ingredient } })
      }
      case 'interaction': {
        const { drug, other, ingredient, otherIngredient, effect } = warning
        const told = say({
          key: 'safety.interaction',
          values: { drug, other, ingredient, otherIngredient },
        })
        return `${told} ${say(`safety.effect.${effect}`)}`
      }
      case 'unchecked':
        return uncheckedText(warning)
      case 'not_asked':
        return say('safety.notAskedText')
    }
  }
}

/** What was found and why, what to do, and where that is written. */
export function WarningText({ warning }: { warning: Warning | OldWarning }) {
  const textOf = useWarningText()
  const say = useSay()
  const language = useLanguage()
  const todo = isOfRule(warning)
    ? warning.todo[language]
    : warning.kind === 'allergy' && say(`safety.allergyTodo_${warning.match}`)
  const { source } = warning as { source?: PublishedSource }
  return (
    <>
      {/* no bdi: a sentence that begins with a name in another script keeps the screen's direction */}
      <Text size="sm">{textOf(warning)}</Text>
      {todo && (
        <Text size="sm" fw={500}>
          {say('safety.todo')}: {todo}
        </Text>
      )}
      {source && (
        <Text size="xs" c="dimmed">
          {say('safety.source')}: <SourceLink source={source} />
        </Text>
      )}
    </>
  )
}
