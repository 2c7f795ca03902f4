import { Alert, Button, FileButton, Group, Loader, Paper, Stack, Text, Title } from '@mantine/core'
import { IconFileImport } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '~/client/api'
import { explainError } from '~/client/explain'
import { useQuery } from '~/client/query'
import { AppError, type Message } from '~/shared/errors'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { EmptyState } from '~/ui/EmptyState'
import { useSaidTime } from '~/ui/said-time'
import { LARGEST_DOCUMENT } from './document'
import { DocumentLines } from './DocumentLines'
import { TakenDocuments } from './TakenDocuments'
import { WhoseDocument } from './WhoseDocument'

/** `id`: of this choice. What was answered about another file says nothing about this one. */
type Chosen = { id: string; name: string; text: string }

/** Chooses a file, compares what it says with the record, and takes over what is ticked. */
export function DocumentFromElsewhere({ patientId }: { patientId: string }) {
  const say = useSay()
  const [file, setFile] = useState<Chosen | null>(null)
  const [problem, setProblem] = useState<Message | null>(null)

  async function choose(chosen: File | null) {
    if (!chosen) return
    setFile(null)
    setProblem(null)
    if (chosen.size > LARGEST_DOCUMENT) return setProblem({ key: 'documents.tooLarge' })
    try {
      setFile({ id: newId(), name: chosen.name, text: await chosen.text() })
    } catch {
      setProblem({
        key: 'documents.notReadHere',
        values: { name: chosen.name },
      })
    }
  }
  return (
    <Stack gap="lg">
      <Group gap="sm">
        {/* a new element for each file: the same one can be chosen again */}
        <FileButton key={file?.id} accept="application/json,.json" onChange={choose}>
          {(props) => (
            <Button
              {...props}
              variant={file ? 'default' : 'filled'}
              leftSection={<IconFileImport size={16} aria-hidden />}
            >
              {say(file ? 'documents.chooseOther' : 'documents.chooseFile')}
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed">
          {file ? <bdi>{file.name}</bdi> : say('documents.fileHint')}
        </Text>
      </Group>
      {problem && <Refused reason={problem} />}
      <TakenDocuments patientId={patientId} />
      {!file && !problem && (
        <Paper withBorder>
          <EmptyState title="documents.empty" />
        </Paper>
      )}
      {file && !problem && <ReadFile key={file.id} patientId={patientId} file={file} />}
    </Stack>
  )
}

function Refused({ reason }: { reason: Message }) {
  const say = useSay()
  return (
    <Alert role="alert" color="red" variant="light">
      {say(reason)}
    </Alert>
  )
}

/** One file: what was read, ticked and answered goes with it. */
function ReadFile({ patientId, file }: { patientId: string; file: Chosen }) {
  const say = useSay()
  // asked again after each taking, so that the lines say what is in the record now
  const { data, error } = useQuery('documents.preview', { patientId, text: file.text })
  return (
    <>
      {Boolean(error) && (
        <Refused reason={data ? { key: 'documents.notComparedAgain' } : comparisonError(error)} />
      )}
      {/* a failed refetch keeps the lines, with what is ticked and answered */}
      {data && <Preview patientId={patientId} file={file} preview={data} />}
      {!data && !error && (
        <Group aria-live="polite">
          <Loader size="sm" />
          {say('documents.reading')}
        </Group>
      )}
    </>
  )
}

const comparisonError = (error: unknown): Message =>
  (error instanceof AppError && error.fields['text']) || explainError(error).text

type PreviewProps = {
  patientId: string
  file: Chosen
  preview: NonNullable<ReturnType<typeof useQuery<'documents.preview'>>['data']>
}

function Preview({ patientId, file, preview }: PreviewProps) {
  const say = useSay()
  const timeText = useSaidTime()
  const { run, pending } = useAction()
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const [left, setLeft] = useState<ReadonlyMap<string, Message>>(new Map())
  const [isSame, setSame] = useState<boolean | null>(null)
  const [mustAnswer, setMustAnswer] = useState(false)
  const { sections, differences, wordsOnly } = preview
  const asks = differences.length > 0
  const open = new Set(
    sections.flatMap(({ lines }) => lines.flatMap((line) => (line.left ? [] : line.key))),
  )
  // a line that another user has recorded meanwhile is not taken
  const chosen = [...ticked].filter((key) => open.has(key))

  async function take() {
    setMustAnswer(asks && isSame === null)
    if (asks && !isSame) return
    const result = await run(
      () =>
        api.documents.take({
          patientId,
          text: file.text,
          file_name: file.name,
          entries: chosen,
          ...(isSame !== null && { same_person: isSame }),
        }),
      {
        success: ({ taken, left: not }) => ({
          key: 'documents.takenDone',
          values: { taken: taken.length, left: not.length },
        }),
      },
    )
    if (!result) return
    setTicked(new Set(result.left.map(({ key }) => key)))
    setLeft(new Map(result.left.map(({ key, reason }) => [key, reason])))
  }

  return (
    <Stack gap="lg">
      <div>
        <Text fw={600}>
          {preview.from ? (
            <>
              {say('documents.from')}: <bdi>{preview.from}</bdi>
            </>
          ) : (
            say('documents.fromNobody')
          )}
        </Text>
        <Text size="sm" c="dimmed">
          {say('documents.date')}:{' '}
          {preview.date ? timeText(preview.date) : say('documents.notSaid')}
          {preview.title && (
            <>
              {' · '}
              <bdi>{preview.title}</bdi>
            </>
          )}
        </Text>
      </div>
      {preview.undone && (
        <Alert color="orange" variant="light">
          {say({
            key: 'documents.undoneBefore',
            values: {
              who: preview.undone.by ?? say('documents.nobodyKnown'),
              day: preview.undone.at ? timeText(new Date(preview.undone.at).toISOString()) : '—',
            },
          })}
        </Alert>
      )}
      <WhoseDocument
        preview={preview}
        isSame={isSame}
        onAnswer={setSame}
        error={mustAnswer && isSame === null ? 'documents.answerFirst' : null}
      />
      {sections.map((section) => (
        <DocumentLines
          key={section.kind}
          section={section}
          ticked={ticked}
          failed={left}
          onTick={setTicked}
        />
      ))}
      {wordsOnly.length > 0 && (
        <section aria-labelledby="words-only">
          <Title order={2} size="h4" id="words-only" mb="xs">
            {say('documents.wordsOnly')}
          </Title>
          <Stack gap="xs">
            {wordsOnly.map(({ id, title, words, isEmpty }) => (
              <div key={id}>
                <Text size="sm" fw={600}>
                  <bdi>{title || '—'}</bdi>
                </Text>
                <Text size="sm">
                  <bdi>{words ?? (isEmpty ? say('documents.sectionEmpty') : '—')}</bdi>
                </Text>
              </div>
            ))}
          </Stack>
        </section>
      )}
      {asks && isSame === false && (
        <Alert color="orange" variant="light">
          {say('documents.notTakenOther')}
        </Alert>
      )}
      <Group>
        <Button
          onClick={() => void take()}
          loading={pending}
          disabled={chosen.length === 0 || (asks && isSame === false)}
        >
          {say({ key: 'documents.take', values: { count: chosen.length } })}
        </Button>
        {chosen.length === 0 && (
          <Text size="sm" c="dimmed">
            {say('documents.nothingChosen')}
          </Text>
        )}
      </Group>
    </Stack>
  )
}
