import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { reportDefinition, definitionErrors } from '~/features/reports/cells/definition'
import { useSay } from '~/shared/say'
import type { DefinitionUpdater, DefinitionDraft } from './definition-draft'
import { CancelButton } from '~/ui/CancelButton'

type Props = { draft: DefinitionDraft; change: DefinitionUpdater }

/** The whole definition as JSON, for what the other tabs do not draw. */
export function JsonEditor({ draft, change }: Props) {
  const say = useSay()
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? JSON.stringify(draft, null, 2)
  const parsed = typed === null ? { value: draft } : parse(typed)
  const problems =
    'value' in parsed ? Object.entries(definitionErrors(parsed.value as DefinitionDraft)) : []
  // an unfinished definition of the right shape can be edited further on the other tabs
  const read = 'value' in parsed ? reportDefinition.safeParse(parsed.value) : null
  return (
    <Stack gap="sm">
      <Textarea
        label={say('reportEditor.json')}
        description={say('reportEditor.jsonHint')}
        value={text}
        onChange={(event) => setTyped(event.currentTarget.value)}
        error={
          'error' in parsed && say({ key: 'reportEditor.notJson', values: { why: parsed.error } })
        }
        autosize
        minRows={16}
        maxRows={40}
        styles={{ input: { fontFamily: 'monospace' } }}
        dir="ltr"
        spellCheck={false}
      />
      {problems.length > 0 && (
        <Alert color="yellow" variant="light" role="none">
          {problems.slice(0, 8).map(([path, problem]) => (
            <Text key={path} size="sm">
              <bdi dir="ltr">{path.replace(/^body\.?/, '') || '—'}</bdi>: {say(problem)}
            </Text>
          ))}
        </Alert>
      )}
      <Group gap="xs">
        <Button
          disabled={typed === null || !read?.success}
          onClick={() => {
            if (!read?.success) return
            change(() => read.data)
            setTyped(null)
          }}
        >
          {say('reportEditor.useJson')}
        </Button>
        {typed !== null && <CancelButton onClick={() => setTyped(null)} />}
      </Group>
    </Stack>
  )
}

function parse(text: string): { value: unknown } | { error: string } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { error: (error as Error).message }
  }
}
