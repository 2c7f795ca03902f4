import {
  ActionIcon,
  Alert,
  Anchor,
  Button,
  FileButton,
  Group,
  Input,
  Loader,
  Paper,
  Stack,
  Text,
} from '@mantine/core'
import { IconFile, IconPaperclip, IconTrash } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { useFrame } from '~/fields/frame'
import type { InputProps } from '~/fields/kind'
import { useSay } from '~/shared/say'
import { AppError, type Message } from '~/shared/errors'
import { explainError } from '~/client/explain'
import type { EventFieldOfType } from './definition'
import classes from './FormAnswers.module.css'

export type SentFile = { id: string; name: string; mime_type: string; size: number }

type Props = InputProps & {
  question: EventFieldOfType<'file'>
  send?: (fieldId: string, file: File) => Promise<SentFile>
  urlOf?: (id: string) => string
  known?: Readonly<Record<string, SentFile>>
}

const NAMES: Record<string, string> = {
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'application/pdf': 'PDF',
}
const LARGEST_FILE_MB = 10

/** A WebP picture becomes a JPEG on the server; of a HEIC picture it says what to do. */
const accepted = (types: readonly string[]) =>
  [...types, ...(types.includes('image/jpeg') ? ['image/webp', 'image/heic'] : [])].join(',')

/** Files, each sent as soon as it is chosen; the answer keeps their ids. */
export function FilesInput({ question, send, urlOf, known = {}, ...props }: Props) {
  const say = useSay()
  const { label, description, error, withAsterisk, disabled } = useFrame(props)
  const labelId = useId()
  const [sending, setSending] = useState<string | null>(null)
  const [refusal, setRefusal] = useState<Message | null>(null)
  const ids = (Array.isArray(props.value) ? props.value : []) as string[]
  const most = question.multiple ? question.maxItems : 1
  const kinds = question.allowedMimeTypes.map((type) => NAMES[type]).join(', ')

  async function add(files: File[]) {
    if (!send) return
    setRefusal(null)
    const sent: string[] = []
    for (const file of files.slice(0, most - ids.length)) {
      if (file.size > LARGEST_FILE_MB * 1024 * 1024) {
        setRefusal({ key: 'answers.fileTooLarge', values: { size: LARGEST_FILE_MB } })
        break
      }
      setSending(file.name)
      try {
        sent.push((await send(question.id, file)).id)
      } catch (thrown) {
        setRefusal(
          (thrown instanceof AppError && thrown.fields['content']) || explainError(thrown).text,
        )
        break
      }
    }
    setSending(null)
    if (sent.length > 0) props.onChange([...ids, ...sent])
  }

  return (
    <Input.Wrapper
      label={label}
      description={[
        description,
        say({ key: 'answers.fileKinds', values: { kinds, size: LARGEST_FILE_MB } }),
      ]
        .filter(Boolean)
        .join(' ')}
      error={error}
      withAsterisk={withAsterisk}
      labelElement="div"
      labelProps={{ id: labelId }}
    >
      <Stack
        gap="xs"
        mt={4}
        component="fieldset"
        className={classes.group}
        aria-labelledby={labelId}
      >
        {ids.map((id) => (
          <FileLine
            key={id}
            file={known[id]}
            url={urlOf?.(id)}
            onRemove={
              disabled ? undefined : () => props.onChange(ids.filter((other) => other !== id))
            }
          />
        ))}
        {sending !== null && (
          <Group gap="xs" component="output">
            <Loader size="xs" />
            <Text size="sm">{say({ key: 'answers.sending', values: { name: sending } })}</Text>
          </Group>
        )}
        {refusal && (
          <Alert color="red" variant="light" role="alert" p="xs">
            {say(refusal)}
          </Alert>
        )}
        {ids.length < most && (
          <FileButton
            accept={accepted(question.allowedMimeTypes)}
            multiple
            onChange={(files) => void add(files)}
          >
            {(button) => (
              <div>
                <Button
                  {...button}
                  variant="default"
                  size="sm"
                  disabled={disabled || !send || sending !== null}
                  leftSection={<IconPaperclip size={16} aria-hidden />}
                  aria-describedby={labelId}
                >
                  {say('answers.addFile')}
                </Button>
              </div>
            )}
          </FileButton>
        )}
      </Stack>
    </Input.Wrapper>
  )
}

type LineProps = { file?: SentFile; url?: string; onRemove?: () => void }

/** One file by its name, which opens it. A phone's own file that never came here is told as such. */
export function FileLine({ file, url, onRemove }: LineProps) {
  const say = useSay()
  const name = file?.name ?? say('answers.fileNotHere')
  return (
    <Paper withBorder px="sm" py={4}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Group gap="xs" wrap="nowrap" miw={0}>
          <IconFile size={16} aria-hidden style={{ flexShrink: 0 }} />
          {file && url ? (
            <Anchor size="sm" href={url} target="_blank" rel="noopener" truncate>
              <bdi>{name}</bdi>
            </Anchor>
          ) : (
            <Text size="sm" truncate>
              <bdi>{name}</bdi>
            </Text>
          )}
          {file && (
            <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }} dir="ltr">
              {Math.max(1, Math.round(file.size / 1024))} kB
            </Text>
          )}
        </Group>
        {onRemove && (
          <ActionIcon
            variant="subtle"
            color="gray"
            c="dimmed"
            aria-label={say({ key: 'answers.removeFile', values: { name } })}
            onClick={onRemove}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        )}
      </Group>
    </Paper>
  )
}
