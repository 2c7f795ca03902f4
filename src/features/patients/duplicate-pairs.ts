/**
 * Pairs of registrations, and whether they are one person: what the search for duplicates is measured by. Told as a
 * registrar would tell them. [given name, surname, born, sex, phone, government id, hometown], "" for unknown.
 */
type Record = readonly [
  given: string,
  surname: string,
  born: string,
  sex: string,
  phone: string,
  government: string,
  hometown: string,
]
export type Pair = { what: string; a: Record; b: Record; isSame: boolean }

const same = (what: string, a: Record, b: Record): Pair => ({ what, a, b, isSame: true })
const other = (what: string, a: Record, b: Record): Pair => ({ what, a, b, isSame: false })

export const PAIRS: readonly Pair[] = [
  // spelling in one script
  same(
    'a doubled letter',
    ['Mohammed', 'Haddad', '1984-03-27', 'male', '', '', ''],
    ['Mohamed', 'Hadad', '1984-03-27', 'male', '', '', ''],
  ),
  same(
    'another vowel',
    ['Fatima', 'Darwish', '1990-05-17', 'female', '', '', ''],
    ['Fatma', 'Darwesh', '1990-05-17', 'female', '', '', ''],
  ),
  same(
    'kh and q',
    ['Khaled', 'Qasim', '1975', 'male', '0944112233', '', ''],
    ['Khalid', 'Kassem', '1975', 'male', '0944112233', '', ''],
  ),
  same(
    'with and without the article',
    ['Layla', 'Al-Mansour', '2001-11-02', 'female', '', '', 'Homs'],
    ['Leila', 'Mansour', '2001-11-02', 'female', '', '', 'Homs'],
  ),
  same(
    'one word or two',
    ['Abdul Rahman', 'Najjar', '1968-01-09', 'male', '', '', ''],
    ['Abdulrahman', 'Najar', '1968-01-09', 'male', '', '', ''],
  ),
  same(
    'a French spelling',
    ['Youssef', 'Cherif', '1999-08-30', 'male', '', '', ''],
    ['Yusuf', 'Sharif', '1999-08-30', 'male', '', '', ''],
  ),
  same(
    'marks over letters',
    ['José', 'Núñez', '1988-02-14', 'male', '', '', ''],
    ['Jose', 'Nunez', '1988-02-14', 'male', '', '', ''],
  ),
  same(
    's and z',
    ['María', 'González', '1979-09-09', 'female', '', '', ''],
    ['Maria', 'Gonzales', '1979-09-09', 'female', '', '', ''],
  ),
  same(
    'one surname of two',
    ['Lucía', 'García López', '1995-04-01', 'female', '', '', ''],
    ['Lucia', 'García', '1995-04-01', 'female', '', '', ''],
  ),
  same(
    'a slip of the keyboard',
    ['Nadia', 'Mansour', '1992-12-12', 'female', '', '', ''],
    ['Nadia', 'Mansuor', '1992-12-12', 'female', '', '', ''],
  ),
  same(
    'hamza left out',
    ['أحمد', 'الخطيب', '1980-06-06', 'male', '', '', ''],
    ['احمد', 'الخطيب', '1980-06-06', 'male', '', '', ''],
  ),
  same(
    'ta marbuta as ha',
    ['فاطمة', 'عودة', '1991-07-21', 'female', '', '', ''],
    ['فاطمه', 'عوده', '1991-07-21', 'female', '', '', ''],
  ),
  same(
    'written with its vowels',
    ['مُحَمَّد', 'حَدّاد', '1984-03-27', 'male', '', '', ''],
    ['محمد', 'حداد', '1984-03-27', 'male', '', '', ''],
  ),
  same(
    'alif maqsura as ya',
    ['مصطفى', 'الشامي', '1973-03-03', 'male', '', '', ''],
    ['مصطفي', 'الشامى', '1973-03-03', 'male', '', '', ''],
  ),
  same(
    'Othman and Osman',
    ['Othman', 'Bakr', '1966-10-10', 'male', '', '', ''],
    ['Osman', 'Bakr', '1966-10-10', 'male', '', '', ''],
  ),
  // Arabic and Latin
  same(
    'Muhammad in both scripts',
    ['محمد', 'حداد', '1984-03-27', 'male', '', '', ''],
    ['Mohammed', 'Haddad', '1984-03-27', 'male', '', '', ''],
  ),
  same(
    'Abdullah in both scripts',
    ['عبد الله', 'النجار', '1970', 'male', '', '', 'Aleppo'],
    ['Abdullah', 'Al-Najjar', '1970', 'male', '', '', 'Aleppo'],
  ),
  same(
    'Layla in both scripts',
    ['ليلى', 'منصور', '2001-11-02', 'female', '', '', ''],
    ['Layla', 'Mansour', '2001-11-02', 'female', '', '', ''],
  ),
  same(
    'Yusuf in both scripts',
    ['يوسف', 'شريف', '1999-08-30', 'male', '', '', ''],
    ['Youssef', 'Sharif', '1999-08-30', 'male', '', '', ''],
  ),
  same(
    'Zainab in both scripts, only the year known',
    ['زينب', 'درويش', '1960', 'female', '0933445566', '', ''],
    ['Zeinab', 'Darwish', '1960', 'female', '+963 933 445 566', '', ''],
  ),
  same(
    'Hussein in both scripts',
    ['حسين', 'قاسم', '1987-01-15', 'male', '', '', ''],
    ['Hussein', 'Qasem', '1987-01-15', 'male', '', '', ''],
  ),
  same(
    'Jamal or Gamal',
    ['جمال', 'سليمان', '1955-05-05', 'male', '', '', ''],
    ['Gamal', 'Soliman', '1955-05-05', 'male', '', '', ''],
  ),
  same(
    'Khadija in both scripts, an age told',
    ['خديجة', 'حمدان', '~1958', 'female', '', '', 'Idlib'],
    ['Khadija', 'Hamdan', '1958', 'female', '', '', 'Idlib'],
  ),
  same(
    'Ibrahim in both scripts',
    ['إبراهيم', 'ناصر', '2015-09-01', 'male', '', '', ''],
    ['Ebrahim', 'Nasser', '2015-09-01', 'male', '', '', ''],
  ),
  same(
    'Ramadan in both scripts',
    ['رمضان', 'شاهين', '1977-02-02', 'male', '', '', ''],
    ['Ramadan', 'Shahin', '1977-02-02', 'male', '', '', ''],
  ),
  // swapped names
  same(
    'given name and surname swapped',
    ['Haddad', 'Mohammed', '1984-03-27', 'male', '', '', ''],
    ['Mohammed', 'Haddad', '1984-03-27', 'male', '', '', ''],
  ),
  same(
    'swapped, in the other script',
    ['منصور', 'ليلى', '2001-11-02', 'female', '', '', ''],
    ['Layla', 'Mansour', '2001-11-02', 'female', '', '', ''],
  ),
  same(
    'everything in the first field',
    ['Samira Khoury', '', '1950-04-04', 'female', '', '', ''],
    ['Samira', 'Khoury', '1950-04-04', 'female', '', '', ''],
  ),
  same(
    'a middle name left out',
    ['Ahmad Khaled', 'Zidan', '1993-06-18', 'male', '', '', ''],
    ['Ahmad', 'Zidan', '1993-06-18', 'male', '', '', ''],
  ),
  // digits and phones
  same(
    'the phone with its country',
    ['Rana', 'Saleh', '', 'female', '0944 123 456', '', ''],
    ['Rana', 'Saleh', '', 'female', '+963944123456', '', ''],
  ),
  same(
    'the phone in Arabic digits',
    ['Rana', 'Saleh', '', 'female', '٠٩٤٤١٢٣٤٥٦', '', ''],
    ['Rana', 'Salih', '', 'female', '0944-123-456', '', ''],
  ),
  same(
    'the id with dashes',
    ['Omar', 'Bitar', '', 'male', '', '12-345-678', ''],
    ['Umar', 'Bitar', '', 'male', '', '12345678', ''],
  ),
  same(
    'the id in Arabic digits',
    ['عمر', 'بيطار', '', 'male', '', '١٢٣٤٥٦٧٨', ''],
    ['Omar', 'Bitar', '', 'male', '', '12345678', ''],
  ),
  same(
    'one digit of the id wrong',
    ['Hala', 'Issa', '1982-08-08', 'female', '', '0102030405', ''],
    ['Hala', 'Issa', '1982-08-08', 'female', '', '0102030406', ''],
  ),
  same(
    'the same id, the surname of her husband',
    ['Mona', 'Haddad', '1985-01-20', 'female', '', '99887766', ''],
    ['Mona', 'Khoury', '1985-01-20', 'female', '', '99887766', ''],
  ),
  same(
    'another phone than last year',
    ['Sami', 'Azar', '1971-07-07', 'male', '0911111111', '', 'Hama'],
    ['Sami', 'Azar', '1971-07-07', 'male', '0922222222', '', 'Hama'],
  ),
  same(
    'two phones in one field',
    ['Dina', 'Jabr', '1998', 'female', '0944000111 / 0933000222', '', ''],
    ['Deena', 'Jabr', '1998', 'female', '0933000222', '', ''],
  ),
  // births
  same(
    'day and month swapped',
    ['Karim', 'Sabbagh', '1990-03-04', 'male', '', '', ''],
    ['Karim', 'Sabbagh', '1990-04-03', 'male', '', '', ''],
  ),
  same(
    'two digits of the year swapped',
    ['Huda', 'Mardini', '1978-10-11', 'female', '0955667788', '', ''],
    ['Huda', 'Mardini', '1987-10-11', 'female', '0955667788', '', ''],
  ),
  same(
    'an age, and the day',
    ['Walid', 'Tarazi', '~1964', 'male', '', '', 'Daraa'],
    ['Waleed', 'Tarazi', '1964-09-23', 'male', '', '', 'Daraa'],
  ),
  same(
    'ages told in two years',
    ['Amina', 'Hourani', '~1950', 'female', '0966123123', '', ''],
    ['Amina', 'Hourani', '~1952', 'female', '0966123123', '', ''],
  ),
  same(
    'only the year, the same village',
    ['Salim', 'Atassi', '1949', 'male', '', '', 'Rastan'],
    ['Saleem', 'Atasi', '1949', 'male', '', '', 'Rastan'],
  ),
  // families
  other(
    'twins, a boy and a girl',
    ['Adam', 'Haddad', '2019-02-02', 'male', '0944112233', '', 'Homs'],
    ['Sara', 'Haddad', '2019-02-02', 'female', '0944112233', '', 'Homs'],
  ),
  other(
    'twin boys, names alike',
    ['Hassan', 'Qasim', '2018-05-05', 'male', '0944112233', '', 'Homs'],
    ['Hussein', 'Qasim', '2018-05-05', 'male', '0944112233', '', 'Homs'],
  ),
  other(
    'twin boys in Arabic',
    ['حسن', 'قاسم', '2018-05-05', 'male', '0944112233', '', 'حمص'],
    ['حسين', 'قاسم', '2018-05-05', 'male', '0944112233', '', 'حمص'],
  ),
  other(
    'twin girls',
    ['Rima', 'Nassar', '2016-12-01', 'female', '0933222111', '', ''],
    ['Rana', 'Nassar', '2016-12-01', 'female', '0933222111', '', ''],
  ),
  other(
    'triplets of Abd',
    ['Abdullah', 'Bakr', '2012-03-03', 'male', '0933222111', '', ''],
    ['Abdulrahman', 'Bakr', '2012-03-03', 'male', '0933222111', '', ''],
  ),
  other(
    'father and son of one name',
    ['Mohammed', 'Haddad', '1984-03-27', 'male', '0944112233', '', 'Homs'],
    ['Mohammed', 'Haddad', '2012-06-01', 'male', '0944112233', '', 'Homs'],
  ),
  other(
    'grandfather and grandson',
    ['محمد', 'حداد', '1941', 'male', '0944112233', '', 'حمص'],
    ['محمد', 'حداد', '1998-01-01', 'male', '0944112233', '', 'حمص'],
  ),
  other(
    'mother and daughter',
    ['Layla', 'Mansour', '1979-01-01', 'female', '0944999888', '', ''],
    ['Lina', 'Mansour', '2001-11-02', 'female', '0944999888', '', ''],
  ),
  other(
    'brothers',
    ['Ahmad', 'Zidan', '1993-06-18', 'male', '0944112233', '', 'Homs'],
    ['Mohammad', 'Zidan', '1995-02-11', 'male', '0944112233', '', 'Homs'],
  ),
  other(
    'father and son, names turned round',
    ['Ahmad', 'Khaled', '1960-01-01', 'male', '0944112233', '', ''],
    ['Khaled', 'Ahmad', '1988-04-04', 'male', '0944112233', '', ''],
  ),
  other(
    'sisters a year apart',
    ['Hala', 'Issa', '1982-08-08', 'female', '0955111222', '', 'Hama'],
    ['Hiba', 'Issa', '1983-09-01', 'female', '0955111222', '', 'Hama'],
  ),
  other(
    'husband and wife',
    ['Samir', 'Khoury', '1950-04-04', 'male', '0911222333', '', ''],
    ['Samira', 'Khoury', '1952-05-06', 'female', '0911222333', '', ''],
  ),
  other(
    'two people of one phone',
    ['Fadi', 'Nouri', '1990', 'male', '0933555777', '', ''],
    ['Tariq', 'Hamwi', '1990', 'male', '0933555777', '', ''],
  ),
  // common names
  other(
    'a common name, other places',
    ['Mohammed', 'Ahmed', '1980', 'male', '0911000001', '', 'Aleppo'],
    ['Mohammed', 'Ahmed', '1983', 'male', '0922000002', '', 'Daraa'],
  ),
  other(
    'a common name, other ids',
    ['Ahmad', 'Ali', '1991-01-01', 'male', '', '11112222', ''],
    ['Ahmad', 'Ali', '1991-06-05', 'male', '', '99998888', ''],
  ),
  other(
    'a common name, nothing else known',
    ['Fatima', 'Hassan', '', 'female', '', '', ''],
    ['Fatima', 'Hassan', '', 'female', '', '', ''],
  ),
  other(
    'a common name, another year',
    ['محمد', 'علي', '1975-02-03', 'male', '', '', ''],
    ['محمد', 'علي', '1979-10-20', 'male', '', '', ''],
  ),
  other(
    'a common Spanish name',
    ['José', 'García', '1980-05-01', 'male', '', '', 'Lima'],
    ['José', 'García', '1982-11-30', 'male', '', '', 'Cusco'],
  ),
  // names that only look or sound alike
  other(
    'Omar and Amir',
    ['Omar', 'Bitar', '1990-02-02', 'male', '', '', ''],
    ['Amir', 'Bitar', '1990-02-02', 'male', '', '', ''],
  ),
  other(
    'Jamal and Jamil',
    ['Jamal', 'Azar', '1988-03-03', 'male', '', '', ''],
    ['Jamil', 'Azar', '1988-03-03', 'male', '', '', ''],
  ),
  other(
    'Hassan and حسين',
    ['Hassan', 'Qasim', '1990-05-05', 'male', '', '', ''],
    ['حسين', 'قاسم', '1990-05-05', 'male', '', '', ''],
  ),
  other(
    'Salma and Salim',
    ['Salma', 'Najjar', '2000-01-01', 'female', '', '', ''],
    ['Salim', 'Najjar', '2000-01-01', 'male', '', '', ''],
  ),
  other(
    'neighbours of one birthday',
    ['Rami', 'Haddad', '1984-01-01', 'male', '', '', 'Homs'],
    ['Rami', 'Khatib', '1984-01-01', 'male', '', '', 'Homs'],
  ),
  other(
    'ids one digit apart, strangers',
    ['Nour', 'Saleh', '1999-09-09', 'female', '', '0102030405', ''],
    ['Karim', 'Issa', '1971-01-01', 'male', '', '0102030406', ''],
  ),
  other(
    'newborns of one day',
    ['Baby', 'Haddad', '2026-01-05', 'male', '0944112233', '', ''],
    ['Baby', 'Khatib', '2026-01-05', 'male', '0955443322', '', ''],
  ),
]
