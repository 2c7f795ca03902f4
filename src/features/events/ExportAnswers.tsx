import { Button, Group, Menu, Modal, Progress, Stack, Text } from '@mantine/core'
import { IconDownload, IconFileSpreadsheet, IconFileText } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { toast } from 'sonner'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { download, offer, type Received, Refused } from '~/ui/download'
import { EXPORT_FORMATS, type ExploreSearch } from './explore'

type Props = { formId: string; name: string; search: ExploreSearch; language: Language }
type Format = (typeof EXPORT_FORMATS)[number]
type Progressed = Received & { format: Format }

const LOOKS = {
  csv: { name: 'CSV', icon: IconFileText },
  xlsx: { name: 'Excel (XLSX)', icon: IconFileSpreadsheet },
} as const

/** Saves what the filter shows as a file, options in words or as they are kept, with how far it is and a way to stop. */
export function ExportAnswers({ formId, name, search, language }: Props) {
  const say = useSay()
  const [progress, setProgress] = useState<Progressed | null>(null)
  const stop = useRef<AbortController>(null)

  async function save(format: Format, answers: 'labels' | 'values') {
    const { page: _page, view: _view, ...filter } = search
    const controller = new AbortController()
    stop.current = controller
    setProgress({ total: 0, lines: 0, bytes: 0, format })
    try {
      const asked = { formId, ...filter, format, answers, language }
      const blob = await download('/api/events/export', asked, controller.signal, (now) =>
        setProgress({ ...now, format }),
      )
      offer(blob, `${name} ${new Date().toISOString().slice(0, 10)}.${format}`)
      toast.success(say('patientSearch.exportDone'))
    } catch (error) {
      if (controller.signal.aborted) toast(say('patientSearch.exportCancelled'))
      else toast.error(say(error instanceof Refused ? error.key : 'patientSearch.exportFailed'))
    } finally {
      setProgress(null)
    }
  }

  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
            {say('explore.export')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {EXPORT_FORMATS.flatMap((format) =>
            (['labels', 'values'] as const).map((answers) => {
              const { name: what, icon: Icon } = LOOKS[format]
              return (
                <Menu.Item
                  key={`${format} ${answers}`}
                  leftSection={<Icon size={16} aria-hidden />}
                  onClick={() => void save(format, answers)}
                >
                  {say({
                    key: answers === 'labels' ? 'explore.exportLabels' : 'explore.exportValues',
                    values: { format: what },
                  })}
                </Menu.Item>
              )
            }),
          )}
        </Menu.Dropdown>
      </Menu>
      {progress && (
        <Modal
          opened
          onClose={() => stop.current?.abort()}
          title={say('explore.exportTitle')}
          closeButtonProps={{ 'aria-label': say('common.cancel') }}
        >
          <Stack>
            <Progress
              value={progress.format === 'csv' && progress.total > 0 ? (progress.lines / progress.total) * 100 : 100}
              animated={progress.format === 'xlsx'}
              aria-label={say('explore.exportTitle')}
            />
            <Text size="sm" aria-live="polite">
              {progress.format === 'csv'
                ? say({ key: 'explore.exported', values: { done: progress.lines, total: progress.total } })
                : say({ key: 'patientSearch.received', values: { size: Math.round(progress.bytes / 1024) } })}
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
