import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconRestore } from '@tabler/icons-react'
import { type Language, translated } from '~/shared/language'
import { useSay } from '~/shared/say'
import type { RegistrationField } from './registration-form'

type Props = {
  fields: readonly RegistrationField[]
  language: Language
  onRestore: (field: RegistrationField) => void
}

/** Deleted fields. Their answers stay readable, and they can be restored. */
export function DeletedFields({ fields, language, onRestore }: Props) {
  const say = useSay()
  const deleted = fields.filter((field) => field.deleted)
  if (deleted.length === 0) return null
  return (
    <section aria-labelledby="deleted-fields">
      <Title order={2} id="deleted-fields" mb="xs">
        {say('formEditor.deletedFields')}
      </Title>
      <Paper withBorder p="sm">
        <Stack gap={6}>
          {deleted.map((field) => {
            const name = translated(field.label, language) || field.column
            return (
              <Group key={field.id} justify="space-between">
                <Text component="bdi" size="sm">
                  {name}
                </Text>
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<IconRestore size={14} aria-hidden />}
                  aria-label={say({ key: 'formEditor.restoreOne', values: { name } })}
                  onClick={() => onRestore(field)}
                >
                  {say('formEditor.restore')}
                </Button>
              </Group>
            )
          })}
        </Stack>
      </Paper>
    </section>
  )
}
