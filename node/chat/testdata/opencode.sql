PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO message VALUES('msg_22e666e380015igTmu4ecm3MGj','ses_dd19991ebffebvFCBwLxLSEMtR',1796074794552,1796074876330,'{"role":"user","time":{"created":1796074794552},"agent":"build","model":{"providerID":"fake","modelID":"fake"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES('msg_22e666e4e001V06vcrue7qWn9z','ses_dd19991ebffebvFCBwLxLSEMtR',1796074794574,1796074875720,'{"parentID":"msg_22e666e380015igTmu4ecm3MGj","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/ada/shop","root":"/"},"cost":0,"tokens":{"total":2,"input":1,"output":1,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"fake","providerID":"fake","time":{"created":1796074794574,"completed":1796074875701},"finish":"tool-calls"}');
INSERT INTO message VALUES('msg_22e67ab54001bAXIqU7NQMPeW7','ses_dd19991ebffebvFCBwLxLSEMtR',1796074875732,1796074876159,'{"parentID":"msg_22e666e380015igTmu4ecm3MGj","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/ada/shop","root":"/"},"cost":0,"tokens":{"total":2,"input":1,"output":1,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"fake","providerID":"fake","time":{"created":1796074875732,"completed":1796074876158},"finish":"stop"}');
INSERT INTO message VALUES('msg_22e67d6fb001z18BCAh1KDYr19','ses_dd19991ebffebvFCBwLxLSEMtR',1796074886907,1796074890018,'{"role":"user","time":{"created":1796074886907},"agent":"build","model":{"providerID":"fake","modelID":"fake"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES('msg_22e67e2ad00151pex7IxC1WXB4','ses_dd19991ebffebvFCBwLxLSEMtR',1796074889901,1796074892424,'{"parentID":"msg_22e67d6fb001z18BCAh1KDYr19","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/ada/shop","root":"/"},"cost":0,"tokens":{"total":2,"input":1,"output":1,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"fake","providerID":"fake","time":{"created":1796074889901,"completed":1796074892423},"finish":"tool-calls"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO part VALUES('prt_22e666e3b001bM1v5EZOuRDyHD','msg_22e666e380015igTmu4ecm3MGj','ses_dd19991ebffebvFCBwLxLSEMtR',1796074794561,1796074794563,'{"type":"text","text":"make it so"}');
INSERT INTO part VALUES('prt_22e6674cf001DLIxZx2iS388xv','msg_22e666e4e001V06vcrue7qWn9z','ses_dd19991ebffebvFCBwLxLSEMtR',1796074796240,1796074796241,'{"type":"step-start"}');
INSERT INTO part VALUES('prt_22e6674d3001HLIJVezvNuG7Fr','msg_22e666e4e001V06vcrue7qWn9z','ses_dd19991ebffebvFCBwLxLSEMtR',1796074796243,1796074875630,'{"type":"tool","tool":"bash","callID":"call_0","state":{"status":"completed","input":{"command":"echo 世界","description":"say it"},"output":"世界\n","metadata":{"output":"世界\n","exit":0,"truncated":false},"title":"echo 世界","time":{"start":1796074796250,"end":1796074875624}}}');
INSERT INTO part VALUES('prt_22e67ab000015LQ5YzC4b50YI5','msg_22e666e4e001V06vcrue7qWn9z','ses_dd19991ebffebvFCBwLxLSEMtR',1796074875648,1796074875652,'{"reason":"tool-calls","type":"step-finish","tokens":{"total":2,"input":1,"output":1,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES('prt_22e67ac95001pzbEYTFuDTN4b2','msg_22e67ab54001bAXIqU7NQMPeW7','ses_dd19991ebffebvFCBwLxLSEMtR',1796074876055,1796074876060,'{"type":"step-start"}');
INSERT INTO part VALUES('prt_22e67aca6001PTftvcsNGpN9FZ','msg_22e67ab54001bAXIqU7NQMPeW7','ses_dd19991ebffebvFCBwLxLSEMtR',1796074876070,1796074876098,'{"type":"text","text":"## Olá 世界 😀\n\nHere is **bold**, `code` and a list:\n\n- one\n- two 日本語\n\n```go\nfmt.Println(\"hi\")\n```\n","time":{"start":1796074876070,"end":1796074876086}}');
INSERT INTO part VALUES('prt_22e67acd2001xdvpNobVJDgIN2','msg_22e67ab54001bAXIqU7NQMPeW7','ses_dd19991ebffebvFCBwLxLSEMtR',1796074876114,1796074876125,'{"reason":"stop","type":"step-finish","tokens":{"total":2,"input":1,"output":1,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES('prt_22e67e2470013r6roHf8LCpzUq','msg_22e67d6fb001z18BCAh1KDYr19','ses_dd19991ebffebvFCBwLxLSEMtR',1796074889847,1796074889849,'{"type":"text","synthetic":true,"text":"Called the Read tool with the following input: {\"filePath\":\"/home/ada/shop/red.png\"}"}');
INSERT INTO part VALUES('prt_22e67e247002cW4xv0hmNUAqKP','msg_22e67d6fb001z18BCAh1KDYr19','ses_dd19991ebffebvFCBwLxLSEMtR',1796074889851,1796074889852,'{"type":"text","synthetic":true,"text":"Image read successfully"}');
INSERT INTO part VALUES('prt_22e67e247003WEK3ew8ey5SqTN','msg_22e67d6fb001z18BCAh1KDYr19','ses_dd19991ebffebvFCBwLxLSEMtR',1796074889853,1796074889855,'{"type":"file","mime":"image/png","url":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==","synthetic":true,"filename":"red.png"}');
INSERT INTO part VALUES('prt_22e67e247004nnOUcgsYgdLdCk','msg_22e67d6fb001z18BCAh1KDYr19','ses_dd19991ebffebvFCBwLxLSEMtR',1796074889856,1796074889857,'{"type":"text","text":"\"look at this\""}');
INSERT INTO part VALUES('prt_22e67eb42001olilg3BmPBqBxb','msg_22e67e2ad00151pex7IxC1WXB4','ses_dd19991ebffebvFCBwLxLSEMtR',1796074892099,1796074892100,'{"type":"step-start"}');
INSERT INTO part VALUES('prt_22e67eb47001wofPsH7KV2xfIi','msg_22e67e2ad00151pex7IxC1WXB4','ses_dd19991ebffebvFCBwLxLSEMtR',1796074892103,1796074892408,'{"type":"tool","tool":"bash","callID":"call_1","state":{"status":"error","input":{"command":"echo 世界","description":"say it"},"error":"The user rejected permission to use this specific tool call.","time":{"start":1796074892139,"end":1796074892407}}}');
INSERT INTO part VALUES('prt_22e67ec7d001rrPwc7weudX0XC','msg_22e67e2ad00151pex7IxC1WXB4','ses_dd19991ebffebvFCBwLxLSEMtR',1796074892413,1796074892415,'{"reason":"tool-calls","type":"step-finish","tokens":{"total":2,"input":1,"output":1,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
CREATE TABLE `session` (
          `id` text PRIMARY KEY,
          `project_id` text NOT NULL,
          `workspace_id` text,
          `parent_id` text,
          `slug` text NOT NULL,
          `directory` text NOT NULL,
          `path` text,
          `title` text NOT NULL,
          `version` text NOT NULL,
          `share_url` text,
          `summary_additions` integer,
          `summary_deletions` integer,
          `summary_files` integer,
          `summary_diffs` text,
          `metadata` text,
          `cost` real DEFAULT 0 NOT NULL,
          `tokens_input` integer DEFAULT 0 NOT NULL,
          `tokens_output` integer DEFAULT 0 NOT NULL,
          `tokens_reasoning` integer DEFAULT 0 NOT NULL,
          `tokens_cache_read` integer DEFAULT 0 NOT NULL,
          `tokens_cache_write` integer DEFAULT 0 NOT NULL,
          `revert` text,
          `permission` text,
          `agent` text,
          `model` text,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `time_compacting` integer,
          `time_archived` integer,
          CONSTRAINT `fk_session_project_id_project_id_fk` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE
        );
INSERT INTO session VALUES('ses_dd19991ebffebvFCBwLxLSEMtR','global',NULL,NULL,'mighty-canyon','/home/ada/shop','home/ada/shop','## Olá 世界 😀','1.18.33',NULL,0,0,0,NULL,NULL,0.0,3,3,0,0,0,NULL,NULL,'build','{"id":"fake","providerID":"fake"}',1796074794516,1796074892489,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
CREATE INDEX `part_session_idx` ON `part` (`session_id`);
CREATE INDEX `session_project_idx` ON `session` (`project_id`);
CREATE INDEX `session_workspace_idx` ON `session` (`workspace_id`);
CREATE INDEX `session_parent_idx` ON `session` (`parent_id`);
COMMIT;
