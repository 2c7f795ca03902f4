import { Button, Group, Menu, Modal, Progress, Stack, Text } from '@mantine/core'
import { IconDownload, IconFileSpreadsheet, IconFileText } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { toast } from 'sonner'
import { HttpFailure } from '~/shared/httpFailure'
import type { Language, MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { type ExportFormat, TOTAL_HEADER } from './export'
import type { PatientSearch } from './PatientFilters'

type Progressed = { total: number; lines: number; bytes: number; format: ExportFormat }

/** Saves what the list's filter shows as a file, with how far it is and a way to stop. */
export function ExportMenu({ search, language }: { search: PatientSearch; language: Language }) {
  const say = useSay()
  const [progress, setProgress] = useState<Progressed | null>(null)
  const stop = useRef<AbortController>(null)

  async function save(format: ExportFormat) {
    const { page: _page, ...filter } = search
    const controller = new AbortController()
    stop.current = controller
    setProgress({ total: 0, lines: 0, bytes: 0, format })
    try {
      const blob = await download({ ...filter, format, language }, controller.signal, (now) =>
        setProgress({ ...now, format }),
      )
      offer(blob, `${say('patients.title')} ${new Date().toISOString().slice(0, 10)}.${format}`)
      toast.success(say('patientSearch.exportDone'))
    } catch (error) {
      const isOurs = controller.signal.aborted
      const refusal = error instanceof Refused ? error.key : 'patientSearch.exportFailed'
      if (isOurs) toast(say('patientSearch.exportCancelled'))
      else toast.error(say(refusal))
    } finally {
      setProgress(null)
    }
  }

  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
            {say('patientSearch.export')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconFileText size={16} aria-hidden />} onClick={() => void save('csv')}>
            {say('patientSearch.exportCsv')}
          </Menu.Item>
          <Menu.Item leftSection={<IconFileSpreadsheet size={16} aria-hidden />} onClick={() => void save('xlsx')}>
            {say('patientSearch.exportXlsx')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {progress && (
        <Modal
          opened
          onClose={() => stop.current?.abort()}
          title={say('patientSearch.exportTitle')}
          closeButtonProps={{ 'aria-label': say('common.cancel') }}
        >
          <Stack>
            <Progress
              value={progress.format === 'csv' && progress.total > 0 ? (progress.lines / progress.total) * 100 : 100}
              animated={progress.format === 'xlsx'}
              aria-label={say('patientSearch.exportTitle')}
            />
            <Text size="sm" aria-live="polite">
              {progress.format === 'csv'
                ? say({ key: 'patientSearch.exported', values: { done: progress.lines, total: progress.total } })
                : `${say({ key: 'patientSearch.exporting', values: { count: progress.total } })} · ${say({ key: 'patientSearch.received', values: { size: Math.round(progress.bytes / 1024) } })}`}
            </Text>
            <Group justify="flex-end">
              <Button variant="default" onClick={() => stop.current?.abort()}>
                {say('common.cancel')}
              </Button>
            </Group>
          </Stack>
        </Modal>
      )}
    </>
  )
}

class Refused extends Error {
  constructor(readonly key: MessageKey) {
    super(key)
  }
}

/** A line is a person in CSV (after the headings); of a workbook only the bytes can be counted, as it is compressed. */
async function download(
  asked: Record<string, unknown>,
  signal: AbortSignal,
  onProgress: (now: Omit<Progressed, 'format'>) => void,
) {
  const parameters = Object.entries(asked).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]))
  const response = await fetch(`/api/patients/export?${query}`, { signal })
  if (!response.ok || !response.body) throw await refusalOf(response)
  const total = Number(response.headers.get(TOTAL_HEADER))
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let [lines, bytes] = [-1, 0]
  const reader = response.body.getReader()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces.push(piece.value)
    bytes += piece.value.length
    for (const byte of piece.value) if (byte === 10) lines += 1
    onProgress({ total, lines: Math.max(0, lines), bytes })
  }
  return new Blob(pieces, { type: response.headers.get('content-type') ?? '' })
}

async function refusalOf(response: Response): Promise<Error> {
  if (response.status >= 500) return new HttpFailure(response.status)
  const { key } = (await response.json()) as { key: MessageKey }
  return new Refused(key)
}

function offer(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
