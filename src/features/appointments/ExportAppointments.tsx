import { Button, Menu } from '@mantine/core'
import { IconDownload, IconFileSpreadsheet, IconFileText } from '@tabler/icons-react'
import { useState } from 'react'
import { toast } from 'sonner'
import type { ExportFormat } from '~/features/patients/export'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import type { AppointmentSearch } from './appointment'

/** Saves what the list's filter shows as a file. */
export function ExportAppointments({ search, language }: { search: AppointmentSearch; language: Language }) {
  const say = useSay()
  const [isBusy, setIsBusy] = useState(false)

  async function save(format: ExportFormat) {
    setIsBusy(true)
    try {
      const { page: _page, ...filter } = search
      const asked = Object.entries({ ...filter, format, language }).filter(([, value]) => value !== undefined)
      const query = new URLSearchParams(asked)
      const response = await fetch(`/api/appointments/export?${query}`)
      if (!response.ok) throw new Error(String(response.status))
      offer(await response.blob(), `${say('appointments.exportName')}.${format}`)
      toast.success(say('patientSearch.exportDone'))
    } catch {
      toast.error(say('patientSearch.exportFailed'))
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" loading={isBusy} leftSection={<IconDownload size={16} aria-hidden />}>
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
  )
}

function offer(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
