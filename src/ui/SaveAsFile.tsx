import { Button, Group, Menu, Progress, Stack, Text } from '@mantine/core'
import { IconDownload, IconFileSpreadsheet, IconFileText } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { CancelButton } from './CancelButton'
import { toast } from './toast'
import type { Language } from '~/shared/language'
import { FILE_FORMATS, type FileFormat } from '~/shared/list-file'
import { type Sayable, useSay } from '~/shared/say'
import { clinicToday } from '~/shared/zone'
import { Dialog } from './Dialog'
import { download, offer, type Received, DownloadRefused } from './download'

type Asked = Readonly<Record<string, string | number | undefined>>
/**
 * One way to have the list: what it is called in the menu, and what is asked for besides the filter. `from` and `name`:
 * another list with the same filter.
 */
type Choice = { format: FileFormat; label: Sayable; more?: Asked; from?: string; name?: string }

type Props = {
  /** Such as `/api/users/export`: returns the file for a format, a language and a filter. */
  from: string
  filter: Asked
  language: Language
  /** What the file is called, without its day and ending. */
  name: string
  choices?: readonly Choice[]
  /** Other lists of the same filter, below. */
  also?: readonly Choice[]
}

const icons = { csv: IconFileText, xlsx: IconFileSpreadsheet }
const formats: readonly Choice[] = FILE_FORMATS.map((format) => ({
  format,
  label: `listFile.${format}`,
}))

/** Saves what a list's filter shows as a file, with how far it is and a way to stop. */
export function SaveAsFile({ from, filter, language, name, choices = formats, also = [] }: Props) {
  const say = useSay()
  const [progress, setProgress] = useState<(Received & { format: FileFormat }) | null>(null)
  const stop = useRef<AbortController>(null)

  async function save({ format, more, from: other = from, name: own = name }: Choice) {
    const controller = new AbortController()
    stop.current = controller
    setProgress({ total: 0, lines: 0, bytes: 0, format })
    try {
      const asked = { ...filter, ...more, format, language }
      const blob = await download(other, asked, controller.signal, (now) =>
        setProgress({ ...now, format }),
      )
      offer(blob, `${own} ${clinicToday()}.${format}`)
      toast.success(say('listFile.done'))
    } catch (error) {
      if (controller.signal.aborted) toast(say('listFile.cancelled'))
      else toast.error(say(error instanceof DownloadRefused ? error.text : 'listFile.failed'))
    } finally {
      setProgress(null)
    }
  }

  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
            {say('listFile.save')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {[...choices, ...also].map((choice) => {
            const Icon = icons[choice.format]
            return (
              <Menu.Item
                key={JSON.stringify([choice.format, choice.more, choice.from])}
                leftSection={<Icon size={16} aria-hidden />}
                onClick={() => void save(choice)}
              >
                {say(choice.label)}
              </Menu.Item>
            )
          })}
        </Menu.Dropdown>
      </Menu>
      {progress && <HowFar {...progress} onCancel={() => stop.current?.abort()} />}
    </>
  )
}

type Saving = Received & { format: FileFormat; onCancel: () => void }

/** A line is a row in CSV; of a workbook only the bytes can be counted, as it is compressed. */
function HowFar({ format, total, lines, bytes, onCancel }: Saving) {
  const say = useSay()
  const isCounted = format === 'csv' && total > 0
  const received = { key: 'listFile.received', values: { size: Math.round(bytes / 1024) } } as const
  return (
    <Dialog
      onClose={onCancel}
      title={say('listFile.saving')}
      closeButtonProps={{ 'aria-label': say('common.cancel') }}
    >
      <Stack>
        <Progress
          value={isCounted ? (lines / total) * 100 : 100}
          animated={!isCounted}
          aria-label={say('listFile.saving')}
        />
        <Text size="sm" aria-live="polite">
          {say(isCounted ? { key: 'listFile.rows', values: { done: lines, total } } : received)}
        </Text>
        <Group justify="flex-end">
          <CancelButton onClick={onCancel} />
        </Group>
      </Stack>
    </Dialog>
  )
}
