package mask
import ("testing";"os";"path/filepath";"strings")
func TestSurvey(t *testing.T){
 root:=os.Getenv("SURVEY"); if root=="" {t.Skip()}
 m:=New(); n:=0
 filepath.WalkDir(root,func(p string,d os.DirEntry,err error)error{
  if err!=nil||d.IsDir()||!d.Type().IsRegular() {return nil}
  data,_:=os.ReadFile(p); if len(data)>4<<20 {return nil}; n+=len(data)
  masked,found:=m.Text(string(data),Options{}); if !found {return nil}
  a,b:=strings.Split(string(data),"\n"),strings.Split(masked,"\n")
  for i:=range a { if a[i]!=b[i] { x:=a[i]; if len(x)>300 {x=x[:300]}; t.Logf("%s:%d\n  %s\n  %.300s",p,i+1,x,b[i]) } }
  return nil})
 t.Log(n)
}
