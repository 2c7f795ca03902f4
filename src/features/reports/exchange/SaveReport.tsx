import { Button, Group } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { api } from '~/client/api'
import type { Language, MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { offer } from '~/ui/download'
import { SaveAsFile } from '~/ui/SaveAsFile'

type Which = { code: string; clinic_ids: readonly string[]; period: string; number: number }
type Props = { which: Which; name: string; language: Language }

/** The report as a workbook or CSV, and as JSON for DHIS2 or ADX. */
export function SaveReport({ which, name, language }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const { code, clinic_ids, period, number } = which
  const asked = { code, clinic_ids: [...clinic_ids], period, number }
  const saveJson = () =>
    run(async () => {
      const { set } = await api.reports.exportDhis2(asked)
      const blob = new Blob([JSON.stringify(set, null, 2)], { type: 'application/json' })
      offer(blob, `${code} ${period} DHIS2.json`)
    })
  const saveAdx = () =>
    run(async () => {
      const { xml } = await api.reports.exportAdx(asked)
      offer(new Blob([xml], { type: 'application/adx+xml' }), `${code} ${period} ADX.xml`)
    })
  const button = (label: MessageKey, save: () => Promise<unknown>) => (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      disabled={pending}
      onClick={() => void save()}
    >
      {say(label)}
    </Button>
  )
  return (
    <Group gap="xs">
      <SaveAsFile
        from="/api/reports/export"
        filter={{ code, clinic_ids: clinic_ids.join(), period, number }}
        language={language}
        name={`${name} ${period}`}
      />
      {clinic_ids.length === 1 && (
        <>
          {button('sendings.saveJson', saveJson)}
          {button('sendings.saveAdx', saveAdx)}
        </>
      )}
    </Group>
  )
}
