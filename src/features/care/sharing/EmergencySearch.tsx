import { Button, Paper, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { LikelyDuplicates } from '~/features/people/patients/duplicates/LikelyDuplicates'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { EmergencyButton } from './EmergencyButton'

const LABELS = {
  given_name: 'devices.column_given_name',
  surname: 'devices.column_surname',
  date_of_birth: 'devices.column_date_of_birth',
} as const satisfies Record<string, MessageKey>
const NAMES = Object.keys(LABELS) as (keyof typeof LABELS)[]

/** The button that opened the form no longer exists. */
const takeFocus = (input: HTMLInputElement | null) => input?.focus()

/** Where no known patient matches: emergency access to a patient of another clinic, who is named as in registration. */
export function EmergencySearch({ search }: { search: string }) {
  const say = useSay()
  const [isOpen, setOpen] = useState(false)
  const [given_name = '', ...rest] = search.trim().split(/\s+/)
  const [values, setValues] = useState({ given_name, surname: rest.join(' '), date_of_birth: '' })
  if (!isOpen)
    return (
      <Button variant="default" w="fit-content" mt="md" onClick={() => setOpen(true)}>
        {say('sharing.emergency')}
      </Button>
    )
  return (
    <Paper withBorder p="md" mt="md" component="section">
      <Stack gap="sm">
        <Title order={2} size="h4">
          {say('sharing.emergency')}
        </Title>
        <Text size="sm">{say('sharing.emergencySearchText')}</Text>
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
          {NAMES.map((name, at) => (
            <TextInput
              key={name}
              label={say(LABELS[name])}
              value={values[name]}
              ref={at === 0 ? takeFocus : undefined}
              autoComplete="off"
              onChange={({ currentTarget: { value } }) =>
                setValues((typed) => ({ ...typed, [name]: value }))
              }
            />
          ))}
        </SimpleGrid>
        <LikelyDuplicates
          values={values}
          forUnknown={({ id, name }) => <EmergencyButton patientId={id} name={name} />}
        />
      </Stack>
    </Paper>
  )
}
