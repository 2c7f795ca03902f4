import { Text } from '@mantine/core'
import { PickList } from '~/fields/PickList'
import { type Sayable, useSay } from '~/shared/say'
import { useFilter } from '~/ui/filters'

type Props = {
  clinics: readonly { id: string; name: string }[]
  value: string | undefined
  label?: Sayable
}

/** The clinic whose stock is shown, kept in the URL. Hidden if there is only one. */
export function ClinicSelect({ clinics, value, label = 'inventory.clinic' }: Props) {
  const say = useSay()
  const choose = useFilter<{ clinic?: string }>()
  if (clinics.length === 1) {
    return (
      <Text fw={600} component="span">
        <bdi>{clinics[0]?.name}</bdi>
      </Text>
    )
  }
  return (
    <PickList
      aria-label={say(label)}
      value={value ?? null}
      data={clinics.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(clinic) => choose({ clinic: clinic ?? undefined })}
      searchable={clinics.length > 7}
      allowDeselect={false}
      w={{ base: '100%', xs: '16rem' }}
    />
  )
}
