/** Long, because it is data: pairs of registrations as a registrar would tell them, and whether they are one person. */
/* By these the search for duplicates is measured. [given name, surname, born, sex, phone, government id, hometown], "" for unknown. */
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
  // written after a first fit, which got 14 of these 24 right
  same(
    'Aisha in both scripts',
    ['عائشة', 'بيطار', '1986-02-11', 'female', '', '', ''],
    ['Aysha', 'Bitar', '1986-02-11', 'female', '', '', ''],
  ),
  same(
    'Ghassan, a digit of the phone missed',
    ['Ghassan', 'Tuma', '', 'male', '0944556677', '', 'Homs'],
    ['Gassan', 'Touma', '', 'male', '0944556677', '', 'Homs'],
  ),
  same(
    'Salah al-Din in one word',
    ['صلاح الدين', 'عمر', '1961-04-14', 'male', '', '', ''],
    ['Salahuddin', 'Omar', '1961-04-14', 'male', '', '', ''],
  ),
  same(
    'Mariam and Maryam',
    ['Mariam', 'Zoubi', '2003-10-10', 'female', '', '', ''],
    ['Maryam', 'Zubi', '2003-10-10', 'female', '', '', ''],
  ),
  same(
    'Abu in the surname',
    ['Tareq', 'Abu Hassan', '1990', 'male', '0791112223', '', ''],
    ['Tariq', 'Abou Hasan', '1990', 'male', '+962791112223', '', ''],
  ),
  same(
    'a newborn without a name yet',
    ['Baby boy', 'Hariri', '2026-02-03', 'male', '0933111222', '', ''],
    ['Omar', 'Hariri', '2026-02-03', 'male', '0933111222', '', ''],
  ),
  same(
    'a nickname',
    ['Abdulrahman', 'Sayed', '1983-03-03', 'male', '0944010203', '', ''],
    ['Abed', 'Sayed', '1983-03-03', 'male', '0944010203', '', ''],
  ),
  same(
    'Hernández without its h',
    ['Hernán', 'Hernández', '1977-07-17', 'male', '', '', ''],
    ['Hernan', 'Ernandez', '1977-07-17', 'male', '', '', ''],
  ),
  same(
    'Guadalupe, two given names',
    ['María Guadalupe', 'Ortiz', '1969-12-12', 'female', '', '', ''],
    ['Guadalupe', 'Ortiz Vega', '1969-12-12', 'female', '', '', ''],
  ),
  same(
    'Khadijeh',
    ['خديجة', 'شحادة', '1948', 'female', '', '', 'جنين'],
    ['خديجه', 'شحاده', '1948', 'female', '', '', 'جنين'],
  ),
  same(
    'the id alone, names in two scripts',
    ['Widad', 'Jaber', '', 'female', '', '9001234567', ''],
    ['وداد', 'جابر', '', 'female', '', '9001234567', ''],
  ),
  same(
    'a year wrong by one',
    ['Nizar', 'Shehadeh', '1958-05-06', 'male', '0955001122', '', ''],
    ['Nizar', 'Shehada', '1959-05-06', 'male', '0955001122', '', ''],
  ),
  other(
    'cousins of one name',
    ['Omar', 'Zoubi', '2001-01-15', 'male', '', '', 'Daraa'],
    ['Omar', 'Zoubi', '2004-08-20', 'male', '', '', 'Daraa'],
  ),
  other(
    'twin girls, names alike',
    ['Salma', 'Issa', '2014-04-04', 'female', '0944333222', '', ''],
    ['Salwa', 'Issa', '2014-04-04', 'female', '0944333222', '', ''],
  ),
  other(
    'Ahmad and Hamad, brothers',
    ['Ahmad', 'Jaber', '1990-01-20', 'male', '0933777888', '', ''],
    ['Hamad', 'Jaber', '1991-06-11', 'male', '0933777888', '', ''],
  ),
  other(
    'Khaled and Khalil',
    ['Khaled', 'Sayed', '1982-02-02', 'male', '', '', ''],
    ['Khalil', 'Sayed', '1982-02-02', 'male', '', '', ''],
  ),
  other(
    'Nada and Nadia',
    ['Nada', 'Haddad', '1995-05-05', 'female', '', '', ''],
    ['Nadia', 'Haddad', '1995-05-05', 'female', '', '', ''],
  ),
  other(
    'father and son, approximate',
    ['علي', 'حمود', '~1955', 'male', '0944888777', '', ''],
    ['علي', 'حمود', '~1985', 'male', '0944888777', '', ''],
  ),
  other(
    'sisters-in-law',
    ['Fatima', 'Hariri', '1980', 'female', '0911222000', '', 'Homs'],
    ['Fatima', 'Sayed', '1983', 'female', '0911222000', '', 'Homs'],
  ),
  other(
    'strangers of one year',
    ['Amina', 'Ali', '1970', 'female', '0933000999', '', 'Hama'],
    ['Amina', 'Ali', '1972', 'female', '0955666111', '', 'Idlib'],
  ),
  other(
    'María and Mario',
    ['María', 'Pérez', '1992-09-19', 'female', '', '', ''],
    ['Mario', 'Pérez', '1992-09-19', 'male', '', '', ''],
  ),
  other(
    'Juan and Juana, twins',
    ['Juan', 'López', '2010-10-01', 'male', '5551234567', '', ''],
    ['Juana', 'López', '2010-10-01', 'female', '5551234567', '', ''],
  ),
  other(
    'consecutive cards of a family',
    ['Rana', 'Tuma', '2015-03-03', 'female', '', '1000200030', ''],
    ['Rami', 'Tuma', '2015-03-03', 'male', '', '1000200031', ''],
  ),
  other(
    'a doctor’s phone given for two',
    ['Yara', 'Nasser', '1999', 'female', '0912345678', '', ''],
    ['Lara', 'Nasser', '2002', 'female', '0912345678', '', ''],
  ),
]

/** Written after the last change of the weights, and never used to change them. */
export const UNSEEN: readonly Pair[] = [
  same(
    'Marwan in both scripts',
    ['مروان', 'الأحمد', '1972-06-15', 'male', '', '', ''],
    ['Marwan', 'Al-Ahmad', '1972-06-15', 'male', '', '', ''],
  ),
  same(
    'Suhaila, two spellings',
    ['Suhaila', 'Barakat', '1966-01-30', 'female', '', '', ''],
    ['Souheila', 'Barakat', '1966-01-30', 'female', '', '', ''],
  ),
  same(
    'Yasmin in both scripts',
    ['ياسمين', 'قدور', '2008-09-12', 'female', '', '', ''],
    ['Yasmine', 'Kaddour', '2008-09-12', 'female', '', '', ''],
  ),
  same(
    'Hisham, only the year',
    ['Hisham', 'Rahal', '1953', 'male', '0944700800', '', 'Salamiyah'],
    ['هشام', 'رحال', '1953', 'male', '0944700800', '', ''],
  ),
  same(
    'swapped, and the phone with its country',
    ['Khatib', 'Samar', '1989-11-11', 'female', '0791234567', '', ''],
    ['Samar', 'Khatib', '1989-11-11', 'female', '00962791234567', '', ''],
  ),
  same(
    'Esperanza, marks left out',
    ['Esperanza', 'Muñoz', '1981-08-01', 'female', '', '', ''],
    ['Esperanza', 'Munoz', '1981-08-01', 'female', '', '', ''],
  ),
  same(
    'Francisco, one surname',
    ['Francisco', 'Jiménez Ruiz', '1959-03-03', 'male', '', '', ''],
    ['Francisco', 'Jimenez', '1959-03-03', 'male', '', '', ''],
  ),
  same(
    'the id in Arabic digits, the name cut short',
    ['Abdulaziz', 'Omari', '', 'male', '', '٩٨٧٦٥٤٣٢١٠', ''],
    ['Abd', 'Omari', '', 'male', '', '9876543210', ''],
  ),
  same(
    'Ruqayya, an age told',
    ['رقية', 'عباس', '~1945', 'female', '', '', 'الرقة'],
    ['رقيه', 'عباس', '1945', 'female', '', '', 'الرقة'],
  ),
  same(
    'day and month swapped, other spelling',
    ['Zaher', 'Mikhael', '1990-05-07', 'male', '0988112233', '', ''],
    ['Zahir', 'Mikhail', '1990-07-05', 'male', '0988112233', '', ''],
  ),
  other(
    'brothers a year apart',
    ['Bassel', 'Rahal', '2009-01-01', 'male', '0944700800', '', ''],
    ['Basem', 'Rahal', '2010-03-09', 'male', '0944700800', '', ''],
  ),
  other(
    'twins, Hala and Hana',
    ['Hala', 'Kaddour', '2017-07-07', 'female', '0966123456', '', ''],
    ['Hana', 'Kaddour', '2017-07-07', 'female', '0966123456', '', ''],
  ),
  other(
    'twins in Arabic',
    ['سامر', 'قدور', '2011-02-28', 'male', '0966123456', '', ''],
    ['سمير', 'قدور', '2011-02-28', 'male', '0966123456', '', ''],
  ),
  other(
    'father and son, one phone',
    ['Ibrahim', 'Omari', '1970-10-10', 'male', '0791000200', '', 'Mafraq'],
    ['Ibrahim', 'Omari', '2001-05-05', 'male', '0791000200', '', 'Mafraq'],
  ),
  other(
    'mother and daughter in Arabic',
    ['مريم', 'عباس', '1982', 'female', '0933987654', '', ''],
    ['ريم', 'عباس', '2006', 'female', '0933987654', '', ''],
  ),
  other(
    'a common name, ten years apart',
    ['Fatima', 'Mohammed', '1990', 'female', '', '', 'Homs'],
    ['Fatima', 'Mohammed', '2000', 'female', '', '', 'Homs'],
  ),
  other(
    'Karim and Karima',
    ['Karim', 'Zidan', '1993-03-03', 'male', '', '', ''],
    ['Karima', 'Zidan', '1993-03-03', 'female', '', '', ''],
  ),
  other(
    'two of one birthday and first name',
    ['Ahmad', 'Rahal', '2000-06-06', 'male', '', '', ''],
    ['Ahmad', 'Omari', '2000-06-06', 'male', '', '', ''],
  ),
  other(
    'Carlos and Carla, one phone',
    ['Carlos', 'Ruiz', '2002-02-20', 'male', '5550001111', '', ''],
    ['Carla', 'Ruiz', '2004-12-01', 'female', '5550001111', '', ''],
  ),
  other(
    'strangers with one digit of the phone apart',
    ['Huda', 'Salem', '1977', 'female', '0944000001', '', ''],
    ['Nawal', 'Bakri', '1977', 'female', '0944000002', '', ''],
  ),
]
