import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useSay } from '~/shared/say'
import { CellEditor } from './CellEditor'
import { type DefinitionUpdater, type DefinitionDraft, idFrom, renamed } from './definition-draft'
import { NamedPart } from './NamedPart'

type Props = { draft: DefinitionDraft; change: DefinitionUpdater; onRemoved: DefinitionUpdater }

/** Counts with a name, which rows, shares and sums refer to. */
export function MeasuresEditor({ draft, change, onRemoved }: Props) {
  const say = useSay()
  const measures = Object.entries(draft.measures ?? {}).toSorted(([a], [b]) =>
    a.localeCompare(b, 'en'),
  )
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {say('reportEditor.measuresLead')}
      </Text>
      {measures.map(([name, cell]) => (
        <NamedPart
          key={name}
          label={say('reportEditor.measureName')}
          name={name}
          onRename={(to) => change((now) => renamed(now, 'measures', name, to))}
          onRemove={() => {
            onRemoved((now) => ({ ...now, measures: { ...now.measures, [name]: cell } }))
            change((now) => {
              const { [name]: _, ...rest } = now.measures ?? {}
              return { ...now, measures: rest }
            })
          }}
        >
          <CellEditor
            shared={draft}
            measure={cell}
            mayName={false}
            path={['measures', name]}
            onChange={(next) => {
              if (next === undefined || typeof next === 'string') return
              change((now) => ({ ...now, measures: { ...now.measures, [name]: next } }))
            }}
          />
        </NamedPart>
      ))}
      <Group>
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() =>
            change((now) => {
              const name = idFrom('measure', new Set(Object.keys(now.measures ?? {})))
              const cell = { count: 'visits', in: 'period' } as const
              return { ...now, measures: { ...now.measures, [name]: cell } }
            })
          }
        >
          {say('reportEditor.addMeasure')}
        </Button>
      </Group>
    </Stack>
  )
}
