import { Group } from '@mantine/core'
import { type Role, ROLES } from '~/shared/permissions'
import { useSay } from '~/shared/say'
import { named, PickFilter, useFilter } from '~/ui/filters'
import { SearchBox } from '~/ui/SearchBox'

type Props = { role?: Role; clinic?: string; clinics: readonly { id: string; name: string }[] }

/** Filters for the list of users, kept in the URL. */
export function UserFilters({ role, clinic, clinics }: Props) {
  const say = useSay()
  const choose = useFilter<{ role?: Role; clinic?: string }>()
  return (
    <Group gap="sm">
      <SearchBox label="users.search" />
      <PickFilter
        inRow
        label="users.role"
        any="users.anyRole"
        value={role}
        onPick={(value) => choose({ role: value })}
        options={ROLES.map((value) => ({ value, label: say(`roles.${value}`) }))}
        w={{ base: '100%', xs: '13rem' }}
      />
      <PickFilter
        inRow
        label="users.clinic"
        any="users.anyClinic"
        value={clinic}
        onPick={(value) => choose({ clinic: value })}
        options={named(clinics)}
        w={{ base: '100%', xs: '13rem' }}
      />
    </Group>
  )
}
