import { Button, Group, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '~/client/api'
import { PickList } from '~/fields/PickList'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'

type Props = {
  userId: string
  clinics: readonly { id: string; name: string }[]
  onAdded: (clinicId: string) => void
}

/** Adds a user to one more clinic, with the default permissions of the role. */
export function AddClinic({ userId, clinics, onAdded }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const [clinicId, setClinicId] = useState<string | null>(null)
  if (clinics.length === 0) return <Text c="dimmed">{say('permissions.allAdded')}</Text>

  async function add() {
    if (!clinicId) return
    const done = await run(() => api.permissions.give({ userId, clinicId }), {
      success: 'common.saved',
    })
    if (!done) return
    onAdded(clinicId)
    setClinicId(null)
  }

  return (
    <Group gap="xs">
      <PickList
        aria-label={say('permissions.addClinic')}
        placeholder={say('permissions.chooseClinic')}
        searchable
        value={clinicId}
        onChange={setClinicId}
        data={clinics.map(({ id, name }) => ({ value: id, label: name }))}
        nothingFoundMessage={say('form.nothingFound')}
        w={{ base: '100%', xs: '18rem' }}
      />
      <Button
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={add}
        loading={pending}
        disabled={!clinicId}
      >
        {say('permissions.addClinic')}
      </Button>
    </Group>
  )
}
