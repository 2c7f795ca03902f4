import { Group, Select } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { Role } from '~/shared/permissions'
import { ROLES } from '~/shared/permissions'
import { useSay } from '~/shared/say'
import { SearchBox } from '~/ui/SearchBox'

type Props = { role?: Role; clinic?: string; clinics: readonly { id: string; name: string }[] }

/** Narrows the list of people; the choice is in the address. */
export function UserFilters({ role, clinic, clinics }: Props) {
  const say = useSay()
  const navigate = useNavigate()
  const choose = (filter: { role?: string; clinic?: string }) =>
    void navigate({
      to: '.',
      search: ((current: object) => ({ ...current, ...filter, page: undefined })) as never,
      replace: true,
      resetScroll: false,
    })
  const look = {
    clearable: true,
    clearButtonProps: { 'aria-label': say('common.clear') },
    nothingFoundMessage: say('form.nothingFound'),
    w: { base: '100%', xs: '13rem' },
    comboboxProps: { shadow: 'md' },
  } as const
  return (
    <Group gap="sm">
      <SearchBox label="users.search" />
      <Select
        {...look}
        aria-label={say('users.role')}
        placeholder={say('users.anyRole')}
        value={role ?? null}
        onChange={(value) => choose({ role: value ?? undefined })}
        data={ROLES.map((value) => ({ value, label: say(`roles.${value}`) }))}
      />
      <Select
        {...look}
        searchable
        aria-label={say('users.clinic')}
        placeholder={say('users.anyClinic')}
        value={clinic ?? null}
        onChange={(value) => choose({ clinic: value ?? undefined })}
        data={clinics.map(({ id, name }) => ({ value: id, label: name }))}
      />
    </Group>
  )
}
