import { Group } from '@mantine/core'
import { useSay } from '~/shared/say'
import { isVolumeMissing } from '~/records/strength'
import { StatusBadge } from '~/ui/StatusBadge'

type Props = {
  drug: {
    is_active?: boolean
    is_controlled?: boolean
    requires_refrigeration?: boolean
    ingredients?: readonly string[]
    form?: string
    per_unit?: string | null
  }
}

/** Warnings about a medicine before it is handled, in words. */
export function DrugMarks({ drug }: Props) {
  const say = useSay()
  return (
    <Group gap={4}>
      {drug.is_active === false && <StatusBadge tone="quiet">{say('drugs.notActive')}</StatusBadge>}
      {drug.is_controlled && <StatusBadge tone="warning">{say('drugs.controlled')}</StatusBadge>}
      {drug.requires_refrigeration && (
        <StatusBadge tone="plain">{say('drugs.refrigerated')}</StatusBadge>
      )}
      {drug.form !== undefined &&
        drug.per_unit !== undefined &&
        isVolumeMissing({ form: drug.form, per_unit: drug.per_unit }) && (
          <StatusBadge tone="warning">{say('drugs.noVolume')}</StatusBadge>
        )}
      {drug.ingredients?.length === 0 && (
        <StatusBadge tone="bad">{say('drugs.noIngredients')}</StatusBadge>
      )}
    </Group>
  )
}
