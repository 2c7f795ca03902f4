import { Button, Checkbox, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { Message } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { useSaidTime } from '~/ui/said-time'
import { StatusBadge } from '~/ui/StatusBadge'
import type { DocumentLine, DocumentSection } from './documents.server'
import { isKnownStatus, statusKey } from './status'

type Props = {
  section: DocumentSection
  ticked: ReadonlySet<string>
  /** Why a line was refused when it was taken. */
  failed: ReadonlyMap<string, Message>
  onTick: (ticked: ReadonlySet<string>) => void
}

/** The lines of one kind: what the document says, and beside it what the record has. */
export function DocumentLines({ section: { kind, lines, own }, ticked, failed, onTick }: Props) {
  const say = useSay()
  if (lines.length === 0 && own.length === 0) return null
  const open = lines.filter(({ left }) => left === null).map(({ key }) => key)
  const isAll = open.length > 0 && open.every((key) => ticked.has(key))
  const tickAll = () => {
    const next = new Set(ticked)
    for (const key of open)
      if (isAll) next.delete(key)
      else next.add(key)
    onTick(next)
  }
  const toggle = (key: string) => {
    const next = new Set(ticked)
    if (!next.delete(key)) next.add(key)
    onTick(next)
  }
  const id = `document-${kind}`
  return (
    <section aria-labelledby={id}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" id={id}>
          {say(`documents.section_${kind}`)}
        </Title>
        {open.length > 1 && (
          <Button variant="default" size="xs" onClick={tickAll}>
            {say(
              isAll
                ? 'documents.untick'
                : { key: 'documents.tickNew', values: { count: open.length } },
            )}
          </Button>
        )}
      </Group>
      {kind === 'others' && (
        <Text size="sm" c="dimmed" mb="xs">
          {say('documents.othersLead')}
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, md: kind === 'others' ? 1 : 2 }} spacing="md">
        <Side label="documents.inDocument" empty="documents.noLines" isEmpty={lines.length === 0}>
          {lines.map((line) => (
            <Line
              key={line.key}
              line={line}
              isTicked={ticked.has(line.key)}
              failed={failed.get(line.key)}
              onToggle={() => toggle(line.key)}
            />
          ))}
        </Side>
        {kind !== 'others' && (
          <Side
            label="documents.inRecord"
            empty="documents.noneInRecord"
            isEmpty={own.length === 0}
          >
            {own.map((one) => (
              <li key={one.id}>
                <Words {...one} />
              </li>
            ))}
          </Side>
        )}
      </SimpleGrid>
    </section>
  )
}

type SideProps = {
  label: 'documents.inDocument' | 'documents.inRecord'
  empty: 'documents.noLines' | 'documents.noneInRecord'
  isEmpty: boolean
  children: React.ReactNode
}

function Side({ label, empty, isEmpty, children }: SideProps) {
  const say = useSay()
  return (
    <Paper withBorder p="sm">
      <Text size="xs" c="dimmed" mb="xs">
        {say(label)}
      </Text>
      {isEmpty ? (
        <Text size="sm">{say(empty)}</Text>
      ) : (
        <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
          {children}
        </Stack>
      )}
    </Paper>
  )
}

type LineProps = {
  line: DocumentLine
  isTicked: boolean
  failed: Message | undefined
  onToggle: () => void
}

function Line({ line, isTicked, failed, onToggle }: LineProps) {
  const say = useSay()
  const { words, details, when, codes, statuses, notes, left } = line
  const text = <Words words={words || '—'} details={details} when={when} />
  const why = failed && left === null ? failed : null
  return (
    <li>
      {left === null ? (
        <Checkbox
          checked={isTicked}
          onChange={onToggle}
          label={text}
          error={why && say(why)}
          styles={{ body: { alignItems: 'flex-start' } }}
        />
      ) : (
        text
      )}
      <Stack gap={2} ps={left === null ? 32 : 0}>
        <Group gap={6}>
          {statuses.map((status) => (
            <StatusBadge key={status} tone="quiet">
              {isKnownStatus(status) ? say(statusKey(status)) : <bdi>{status}</bdi>}
            </StatusBadge>
          ))}
          {codes.length > 0 && (
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              <bdi dir="ltr">{codes.join(' · ')}</bdi>
            </Text>
          )}
        </Group>
        {notes.map((note) => (
          <Text key={note.key} size="xs">
            {say(note)}
          </Text>
        ))}
        {left && (
          <Text size="xs" c="dimmed">
            {say(left)}
          </Text>
        )}
      </Stack>
    </li>
  )
}

type WordsProps = Pick<DocumentSection['own'][number], 'words' | 'details' | 'when'>

function Words({ words, details, when }: WordsProps) {
  const say = useSay()
  const timeText = useSaidTime()
  return (
    <>
      <Text size="sm" fw={500} component="span" style={{ overflowWrap: 'anywhere' }}>
        <bdi>{words}</bdi>
      </Text>
      {details.map((detail) => (
        <Text key={say(detail)} size="sm" component="span" style={{ overflowWrap: 'anywhere' }}>
          {' · '}
          <bdi>{say(detail)}</bdi>
        </Text>
      ))}
      {when && (
        <Text size="sm" c="dimmed" component="span">
          {' · '}
          <bdi>{timeText(when)}</bdi>
        </Text>
      )}
    </>
  )
}
